// udp_feedback.h — waits on a sender's sockets, and reads what came back to them.
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "socket_handle.h"
#include "transport/udp_socket.h"

namespace texcast::transport {

class FeedbackReader {
 public:
  FeedbackReader();  // throws Error{failed}
  // They belong to the caller, and outlive this.
  void add(int socket, size_t destination, bool control);
  void wake();
  // As UdpSender::wait(). `on_error(destination)`: an earlier datagram to it was refused by the other side.
  template <typename OnError>
  void wait(SteadyTime deadline, const UdpSender::OnFeedback& sink, OnError&& on_error) {
    if (!poll_until(deadline)) return;
    for (size_t i = 0; i < sources_.size(); ++i)
      if (waiting_[i + 1].revents != 0 && !read(i, sink)) on_error(sources_[i].destination);
  }

 private:
  // RTCP and requests fit into an unfragmented packet; what is longer is not meant for us.
  static constexpr size_t kLargest = 9216;
  static constexpr int kMostAtOnce = 64;

  struct Source {
    size_t destination = 0;
    bool control = false;
  };

  bool poll_until(SteadyTime deadline);
  bool read(size_t index, const UdpSender::OnFeedback& sink);

  SocketHandle wake_event_;
  std::vector<pollfd> waiting_;  // the event, then the sockets:
  std::vector<Source> sources_;
  std::unique_ptr<std::array<std::byte, kLargest>> memory_;
};

}  // namespace texcast::transport
