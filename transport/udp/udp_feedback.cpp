#include "udp_feedback.h"

#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <ctime>

#include "base/error.h"

namespace texcast::transport {

FeedbackReader::FeedbackReader()
    : wake_event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      memory_(std::make_unique_for_overwrite<std::array<std::byte, kLargest>>()) {
  if (!wake_event_.valid()) throw Error(ErrorKind::failed, "cannot make an eventfd: " + errno_text(errno));
  waiting_.push_back({wake_event_.get(), POLLIN, 0});
}

void FeedbackReader::add(int socket, size_t destination, bool control) {
  waiting_.push_back({socket, POLLIN, 0});
  sources_.push_back({destination, control});
}

void FeedbackReader::wake() { ::eventfd_write(wake_event_.get(), 1); }

bool FeedbackReader::poll_until(SteadyTime deadline) {
  const nanoseconds left = std::max(deadline - steady_now(), nanoseconds(0));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec timeout{static_cast<time_t>(seconds.count()), static_cast<long>((left - seconds).count())};
  if (::ppoll(waiting_.data(), waiting_.size(), &timeout, nullptr) <= 0) return false;
  if (waiting_[0].revents != 0) {
    eventfd_t ignored;
    ::eventfd_read(wake_event_.get(), &ignored);
  }
  return true;
}

bool FeedbackReader::read(size_t index, const UdpSender::OnFeedback& sink) {
  bool accepted = true;
  for (int i = 0; i < kMostAtOnce; ++i) {
    Feedback feedback;
    sockaddr_storage from{};
    socklen_t length = sizeof from;
    const ssize_t bytes = ::recvfrom(waiting_[index + 1].fd, memory_->data(), memory_->size(), MSG_DONTWAIT,
                                     reinterpret_cast<sockaddr*>(&from), &length);
    if (bytes < 0) {
      if (errno != ECONNREFUSED) break;  // nothing more; ECONNREFUSED has cleared itself by being told
      accepted = false;
      continue;
    }
    feedback.datagram = Bytes(memory_->data(), static_cast<size_t>(bytes));
    feedback.from = peer_address(from, length);
    feedback.destination = sources_[index].destination;
    feedback.control = sources_[index].control;
    feedback.arrived = steady_now();
    sink(feedback);
  }
  return accepted;
}

}  // namespace texcast::transport
