// udp_sender.cpp — the sending half of udp_socket.h.
#include <algorithm>
#include <vector>

#include "base/ensure.h"
#include "transport/udp_socket.h"
#include "udp_feedback.h"
#include "udp_options.h"
#include "udp_target.h"

namespace texcast::transport {
namespace {

// A queue that stays full: with one destination there is nothing better to do than to wait for it; with several, the
// others go on.
constexpr nanoseconds kPatienceAlone = std::chrono::seconds(1);
constexpr nanoseconds kPatienceAmongOthers = std::chrono::milliseconds(2);

}  // namespace

struct UdpSender::Impl {
  std::vector<UdpTarget> targets;
  std::vector<ControlSocket> controls;
  FeedbackReader feedback;
  SendScratch scratch;
};

UdpSender::UdpSender(const Settings& settings) : impl_(std::make_unique<Impl>()) {
  const bool alone = settings.destinations.size() == 1;
  for (const Address& to : settings.destinations) {
    impl_->targets.emplace_back(to, settings, alone ? kPatienceAlone : kPatienceAmongOthers);
    const size_t destination = impl_->targets.size() - 1;
    impl_->feedback.add(impl_->targets.back().socket(), destination, false);
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
  impl_->feedback.wait(deadline, sink,
                       [&](size_t index) { counters_.refused += impl_->targets[index].last_packets(); });
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
