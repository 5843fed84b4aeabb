// reply.h — answers one request of one client, once, on any thread.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "control/protocol.h"

namespace texcast::control {

// Movable; not thread-safe itself. If it is destroyed before answer() it answers with an error, so that no client waits
// for ever.
class Reply {
 public:
  using Send = std::function<void(const Answer&)>;
  explicit Reply(Send send) : send_(std::move(send)) {}
  Reply(Reply&& other) noexcept : send_(std::exchange(other.send_, nullptr)) {}
  Reply& operator=(Reply&& other) noexcept {
    std::swap(send_, other.send_);
    return *this;
  }
  ~Reply() {
    if (send_) send_(Answer::failure(ErrorKind::failed, "texcast ended before that was done"));
  }
  // Call it once. Does nothing if the client has disconnected or the server has ended.
  void answer(const Answer& answer) { std::exchange(send_, nullptr)(answer); }

 private:
  Send send_;
};

}  // namespace texcast::control
