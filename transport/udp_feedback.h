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
  // Sockets are told apart by the order in which they were added. They belong to the caller, and outlive this.
  void add(int socket);
  void wake();
  // As UdpSender::wait(). `on_error(index)`: an earlier datagram of that socket was refused by the other side.
  template <typename OnError>
  void wait(SteadyTime deadline, const UdpSender::OnFeedback& sink, OnError&& on_error) {
    if (!poll_until(deadline)) return;
    for (size_t i = 1; i < waiting_.size(); ++i)
      if (waiting_[i].revents != 0 && !read(i - 1, sink)) on_error(i - 1);
  }

 private:
  // RTCP and requests fit into an unfragmented packet; what is longer is not meant for us.
  static constexpr size_t kLargest = 9216;
  static constexpr int kMostAtOnce = 64;

  bool poll_until(SteadyTime deadline);
  bool read(size_t index, const UdpSender::OnFeedback& sink);

  SocketHandle wake_event_;
  std::vector<pollfd> waiting_;  // the event, then the sockets
  std::unique_ptr<std::array<std::byte, kLargest>> memory_;
};

}  // namespace texcast::transport
