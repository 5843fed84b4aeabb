// udp_sender.cpp — the sending half of udp_socket.h.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <memory>
#include <vector>

#include "base/ensure.h"
#include "socket_handle.h"
#include "texcast/error.h"
#include "transport/udp_socket.h"
#include "udp_options.h"
#include "udp_target.h"

namespace texcast::transport {

// Waits on a sender's sockets, and reads what came back to them.
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

namespace {

// A queue that stays full: with one destination there is nothing better to do than to wait for it; with several, the
// others go on.
constexpr nanoseconds kPatienceAlone = std::chrono::seconds(1);
constexpr nanoseconds kPatienceAmongOthers = std::chrono::milliseconds(2);

}  // namespace

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
    feedback.from = peer_address(from);
    feedback.destination = sources_[index].destination;
    feedback.control = sources_[index].control;
    feedback.arrived = steady_now();
    sink(feedback);
  }
  return accepted;
}

struct UdpSender::Impl {
  std::vector<UdpTarget> targets;
  std::vector<ControlSocket> controls;
  std::vector<SocketHandle> members;  // what members of groups say
  FeedbackReader feedback;
  SendScratch scratch;
};

UdpSender::UdpSender(const Settings& settings) : impl_(std::make_unique<Impl>()) {
  const bool alone = settings.destinations.size() == 1;
  for (const Address& to : settings.destinations) {
    impl_->targets.emplace_back(to, settings, alone ? kPatienceAlone : kPatienceAmongOthers);
    const size_t destination = impl_->targets.size() - 1;
    impl_->feedback.add(impl_->targets.back().socket(), destination, false);
    if (to.multicast && settings.group_feedback) {
      impl_->members.push_back(open_member_socket(impl_->targets.back().socket()));
      impl_->feedback.add(impl_->members.back().get(), destination, false);
    }
    if (!settings.control) continue;
    impl_->controls.push_back(open_control_socket(to, settings));
    impl_->feedback.add(impl_->controls.back().socket.get(), destination, true);
  }
}

UdpSender::~UdpSender() = default;

void UdpSender::send(std::span<const OutgoingPacket> packets) {
  for (UdpTarget& target : impl_->targets) target.send(packets, impl_->scratch, counters_);
}

void UdpSender::send_to(size_t destination, std::span<const OutgoingPacket> packets) {
  ENSURE(destination < impl_->targets.size());
  impl_->targets[destination].send(packets, impl_->scratch, counters_);
}

void UdpSender::send_control(Bytes datagram) {
  if (datagram.empty()) return;
  for (const ControlSocket& control : impl_->controls)
    ::sendto(control.socket.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&control.to), control.length);
}

void UdpSender::wait(SteadyTime deadline, const OnFeedback& sink) {
  impl_->feedback.wait(deadline, sink, [&](size_t index) {
    counters_.refused += impl_->targets[index].last_packets();
    impl_->targets[index].count_refusal();
  });
}

uint64_t UdpSender::refusals(size_t destination) const {
  ENSURE(destination < impl_->targets.size());
  return impl_->targets[destination].refusals();
}

void UdpSender::wake() { impl_->feedback.wake(); }

bool UdpSender::uses_segmentation() const { return std::ranges::any_of(impl_->targets, &UdpTarget::segmentation); }

int UdpSender::path_mtu() const {
  int smallest = 0;
  for (const UdpTarget& target : impl_->targets)
    if (const int mtu = target.path_mtu(); mtu > 0) smallest = smallest == 0 ? mtu : std::min(smallest, mtu);
  return smallest;
}

}  // namespace texcast::transport
