// reply.h — the right to answer one request of one client, once, on any thread.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "control/protocol.h"

namespace texcast::control {

// Moves; not thread-safe itself. One that is destroyed unanswered says that nothing came of it, so no client waits for
// ever.
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
    if (send_) send_(Answer::failure(ErrorKind::failed, "texcast has ended before that was done"));
  }
  // Once. May be called when the client or the server is gone: then nothing happens.
  void answer(const Answer& answer) { std::exchange(send_, nullptr)(answer); }

 private:
  Send send_;
};

}  // namespace texcast::control
