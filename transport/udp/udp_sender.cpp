// udp_sender.cpp — the sending half of udp_socket.h.
#include <sys/epoll.h>
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
#include "base/errno_text.h"
#include "base/poll_until.h"
#include "base/wake_event.h"
#include "socket_address.h"
#include "texcast/error.h"
#include "transport/udp_socket.h"
#include "udp_options.h"
#include "udp_target.h"

namespace texcast::transport {

// Waits on a sender's sockets, and reads the feedback. By epoll: waiting costs the same for one and for a thousand
// sockets.
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
    for (const epoll_event& event : ready_until(deadline))
      if (event.data.u64 == kWoken)
        wake_event_.take();
      else if (!read(sources_[event.data.u64], sink))
        on_error(sources_[event.data.u64].destination);
  }
  int descriptor() const { return epoll_.get(); }  // readable: wait() has something to do

 private:
  // RTCP and requests fit into an unfragmented packet; anything longer is ignored.
  static constexpr size_t kLargest = 9216;
  static constexpr int kMostAtOnce = 64;

  static constexpr uint64_t kWoken = UINT64_MAX;

  struct Source {
    int socket = -1;
    size_t destination = 0;
    bool control = false;
  };

  void watch(int descriptor, uint64_t which);
  std::span<const epoll_event> ready_until(SteadyTime deadline);
  bool read(const Source& source, const UdpSender::OnFeedback& sink);

  WakeEvent wake_event_;
  Descriptor epoll_;  // of the event and the sockets; the number of a socket is its index in sources_
  std::array<epoll_event, 64> ready_{};
  std::vector<Source> sources_;
  std::unique_ptr<std::array<std::byte, kLargest>> memory_;
};

namespace {

// For a queue that stays full: with one destination waiting is the best option; with several, the others continue.
constexpr nanoseconds kPatienceAlone = std::chrono::seconds(1);
constexpr nanoseconds kPatienceAmongOthers = std::chrono::milliseconds(2);

}  // namespace

FeedbackReader::FeedbackReader()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      memory_(std::make_unique_for_overwrite<std::array<std::byte, kLargest>>()) {
  if (!epoll_.valid()) throw Error(ErrorKind::failed, "cannot wait for sockets: " + errno_text(errno));
  watch(wake_event_.fd(), kWoken);
}

void FeedbackReader::watch(int descriptor, uint64_t which) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = which}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw Error(ErrorKind::failed, "cannot wait for a socket: " + errno_text(errno));
}

void FeedbackReader::add(int socket, size_t destination, bool control) {
  watch(socket, sources_.size());
  sources_.push_back({.socket = socket, .destination = destination, .control = control});
}

// A socket that was closed meanwhile has left by itself.
void FeedbackReader::forget_all() {
  for (const Source& source : sources_) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, source.socket, nullptr);
  sources_.clear();
}

void FeedbackReader::wake() { wake_event_.wake(); }

std::span<const epoll_event> FeedbackReader::ready_until(SteadyTime deadline) {
  pollfd waiting{epoll_.get(), POLLIN, 0};
  if (poll_until({&waiting, 1}, deadline) <= 0) return {};
  const int count = ::epoll_wait(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), 0);
  return std::span(ready_).first(static_cast<size_t>(std::max(count, 0)));
}

bool FeedbackReader::read(const Source& source, const UdpSender::OnFeedback& sink) {
  bool accepted = true;
  for (int i = 0; i < kMostAtOnce; ++i) {
    Feedback feedback;
    sockaddr_storage from{};
    socklen_t length = sizeof from;
    const ssize_t bytes = ::recvfrom(source.socket, memory_->data(), memory_->size(), MSG_DONTWAIT,
                                     reinterpret_cast<sockaddr*>(&from), &length);
    if (bytes < 0) {
      if (errno != ECONNREFUSED) break;  // nothing more; reporting ECONNREFUSED clears it
      accepted = false;
      continue;
    }
    feedback.datagram = Bytes(memory_->data(), static_cast<size_t>(bytes));
    feedback.from = peer_address(from);
    feedback.destination = source.destination;
    feedback.control = source.control;
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
    SendCounters sent{};                  // its share of UdpSender::counters()
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
  void send(Way& way, std::span<const OutgoingPacket> packets, SendCounters& all);

  Settings settings;  // except the destinations
  std::vector<std::unique_ptr<Way>> ways{};
  FeedbackReader feedback{};
  SendScratch scratch{};
};

void UdpSender::Impl::ways_changed() {
  feedback.forget_all();
  for (size_t i = 0; i < ways.size(); ++i) {
    Way& way = *ways[i];
    way.target.set_patience(settings.patience.value_or(ways.size() == 1 ? kPatienceAlone : kPatienceAmongOthers));
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

void UdpSender::Impl::send(Way& way, std::span<const OutgoingPacket> packets, SendCounters& all) {
  SendCounters sent;
  way.target.send(packets, scratch, sent);
  for (SendCounters* counters : {&way.sent, &all}) {
    counters->packets += sent.packets;
    counters->bytes += sent.bytes;
    counters->refused += sent.refused;
  }
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
  for (const auto& way : impl_->ways) impl_->send(*way, packets, counters_);
}

void UdpSender::send_to(size_t destination, std::span<const OutgoingPacket> packets) {
  ENSURE(destination < impl_->ways.size());
  impl_->send(*impl_->ways[destination], packets, counters_);
}

void UdpSender::send_control(Bytes datagram) {
  for (const auto& way : impl_->ways) impl_->send_control(*way, datagram);
}

void UdpSender::wait(SteadyTime deadline, const OnFeedback& sink) {
  impl_->feedback.wait(deadline, sink, [&](size_t index) {
    Impl::Way& way = *impl_->ways[index];
    way.sent.refused += way.target.last_packets();
    counters_.refused += way.target.last_packets();
    way.target.count_refusal();
  });
}

uint64_t UdpSender::refusals(size_t destination) const { return impl_->way(destination).target.refusals(); }

const SendCounters& UdpSender::counters(size_t destination) const { return impl_->way(destination).sent; }

int UdpSender::descriptor() const { return impl_->feedback.descriptor(); }

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
