// udp_sender.cpp — the sending half of udp_socket.h.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/descriptor.h"
#include "base/ensure.h"
#include "base/poll_until.h"
#include "base/wake_event.h"
#include "socket_address.h"
#include "texcast/error.h"
#include "transport/udp_socket.h"
#include "udp_options.h"
#include "udp_target.h"

namespace texcast::transport {

// Waits on a sender's sockets, and reads the feedback.
class FeedbackReader {
 public:
  FeedbackReader();  // throws Error{failed}
  // The sockets belong to the caller, and must outlive this, or be forgotten before they are closed.
  void add(int socket, size_t destination, bool control);
  void forget_all();
  void wake();
  // See UdpSender::wait(). `on_error(destination)`: the other side refused an earlier datagram.
  template <typename OnError>
  void wait(SteadyTime deadline, const UdpSender::OnFeedback& sink, OnError&& on_error) {
    if (!anything_until(deadline)) return;
    for (size_t i = 0; i < sources_.size(); ++i)
      if (waiting_[i + 1].revents != 0 && !read(i, sink)) on_error(sources_[i].destination);
  }

 private:
  // RTCP and requests fit into an unfragmented packet; anything longer is ignored.
  static constexpr size_t kLargest = 9216;
  static constexpr int kMostAtOnce = 64;

  struct Source {
    size_t destination = 0;
    bool control = false;
  };

  bool anything_until(SteadyTime deadline);
  bool read(size_t index, const UdpSender::OnFeedback& sink);

  WakeEvent wake_event_;
  std::vector<pollfd> waiting_;  // the event, then the sockets:
  std::vector<Source> sources_;
  std::unique_ptr<std::array<std::byte, kLargest>> memory_;
};

namespace {

// For a queue that stays full: with one destination waiting is the best option; with several, the others continue.
constexpr nanoseconds kPatienceAlone = std::chrono::seconds(1);
constexpr nanoseconds kPatienceAmongOthers = std::chrono::milliseconds(2);

}  // namespace

FeedbackReader::FeedbackReader() : memory_(std::make_unique_for_overwrite<std::array<std::byte, kLargest>>()) {
  waiting_.push_back({wake_event_.fd(), POLLIN, 0});
}

void FeedbackReader::add(int socket, size_t destination, bool control) {
  waiting_.push_back({socket, POLLIN, 0});
  sources_.push_back({destination, control});
}

void FeedbackReader::forget_all() {
  waiting_.resize(1);
  sources_.clear();
}

void FeedbackReader::wake() { wake_event_.wake(); }

bool FeedbackReader::anything_until(SteadyTime deadline) {
  if (poll_until(waiting_, deadline) <= 0) return false;
  if (waiting_[0].revents != 0) wake_event_.take();
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
      if (errno != ECONNREFUSED) break;  // nothing more; reporting ECONNREFUSED clears it
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
  // One destination.
  struct Way {
    Way(const Address& to, const Settings& settings) : target(to, settings, kPatienceAmongOthers) {
      if (to.multicast && settings.group_feedback) members = open_member_socket(target.socket());
      if (settings.control) control = open_control_socket(to, settings);
    }
    UdpTarget target;
    std::optional<Descriptor> members{};  // for a group: receives from its members
    std::optional<ControlSocket> control{};
  };
  explicit Impl(const Settings& from) : settings(from) { settings.destinations = {}; }
  void ways_changed();
  const Way& way(size_t destination) const {
    ENSURE(destination < ways.size());
    return *ways[destination];
  }
  void send_control(const Way& way, Bytes datagram);

  Settings settings;  // except the destinations
  std::vector<std::unique_ptr<Way>> ways{};
  FeedbackReader feedback{};
  SendScratch scratch{};
};

void UdpSender::Impl::ways_changed() {
  feedback.forget_all();
  for (size_t i = 0; i < ways.size(); ++i) {
    Way& way = *ways[i];
    way.target.set_patience(ways.size() == 1 ? kPatienceAlone : kPatienceAmongOthers);
    feedback.add(way.target.socket(), i, false);
    if (way.members) feedback.add(way.members->get(), i, false);
    if (way.control) feedback.add(way.control->socket.get(), i, true);
  }
}

void UdpSender::Impl::send_control(const Way& way, Bytes datagram) {
  if (datagram.empty() || !way.control) return;
  ::sendto(way.control->socket.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
           reinterpret_cast<const sockaddr*>(&way.control->to), way.control->length);
}

UdpSender::UdpSender(const Settings& settings) : impl_(std::make_unique<Impl>(settings)) {
  for (const Address& to : settings.destinations) impl_->ways.push_back(std::make_unique<Impl::Way>(to, settings));
  impl_->ways_changed();
}

UdpSender::~UdpSender() = default;

void UdpSender::add(const Address& destination) {
  impl_->ways.push_back(std::make_unique<Impl::Way>(destination, impl_->settings));
  impl_->ways_changed();
}

void UdpSender::remove(size_t destination, Bytes goodbye) {
  impl_->send_control(impl_->way(destination), goodbye);
  impl_->ways.erase(impl_->ways.begin() + static_cast<std::ptrdiff_t>(destination));
  impl_->ways_changed();
}

void UdpSender::send(std::span<const OutgoingPacket> packets) {
  for (const auto& way : impl_->ways) way->target.send(packets, impl_->scratch, counters_);
}

void UdpSender::send_to(size_t destination, std::span<const OutgoingPacket> packets) {
  ENSURE(destination < impl_->ways.size());
  impl_->ways[destination]->target.send(packets, impl_->scratch, counters_);
}

void UdpSender::send_control(Bytes datagram) {
  for (const auto& way : impl_->ways) impl_->send_control(*way, datagram);
}

void UdpSender::wait(SteadyTime deadline, const OnFeedback& sink) {
  impl_->feedback.wait(deadline, sink, [&](size_t index) {
    UdpTarget& target = impl_->ways[index]->target;
    counters_.refused += target.last_packets();
    target.count_refusal();
  });
}

uint64_t UdpSender::refusals(size_t destination) const { return impl_->way(destination).target.refusals(); }

void UdpSender::wake() { impl_->feedback.wake(); }

bool UdpSender::uses_segmentation() const {
  return std::ranges::any_of(impl_->ways, [](const auto& way) { return way->target.segmentation(); });
}

int UdpSender::path_mtu() const {
  int smallest = 0;
  for (const auto& way : impl_->ways)
    if (const int mtu = way->target.path_mtu(); mtu > 0) smallest = smallest == 0 ? mtu : std::min(smallest, mtu);
  return smallest;
}

}  // namespace texcast::transport
