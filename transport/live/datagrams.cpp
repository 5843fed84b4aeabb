#include "live/datagrams.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/log.h"
#include "live/compact_listeners.h"
#include "live/rtcp_name.h"
#include "textures/stream_format.h"
#include "transport/audio_packet.h"
#include "transport/interface.h"
#include "transport/own_packet.h"
#include "transport/packet.h"
#include "transport/sealing.h"

namespace texcast::stream {
namespace {

// By the system's clock, which may have been set meanwhile: an impossible time counts as unknown.
nanoseconds time_in_queue(WallTime came, WallTime now) {
  constexpr nanoseconds kLongest = std::chrono::minutes(1);
  const nanoseconds time = came == WallTime{} ? nanoseconds{} : now - came;
  return time > kLongest ? nanoseconds{} : std::max(time, nanoseconds{});
}

std::vector<transport::PeerNetwork> networks_of(const std::vector<std::string>& from) {
  std::vector<transport::PeerNetwork> networks;
  for (const std::string& text : from)
    for (const transport::PeerNetwork& network : transport::resolve_networks(text)) networks.push_back(network);
  return networks;
}

}  // namespace

UdpDatagrams::UdpDatagrams(const transport::Address& address, unsigned interface_index,
                           std::vector<transport::PeerNetwork> from)
    : address_(address),
      interface_index_(interface_index),
      receiver_({.address = address, .interface_index = interface_index, .control = true}),
      rtcp_(std::random_device{}(), rtcp_name(), std::random_device{}(),
            address.multicast ? transport::RtcpAudience::group : transport::RtcpAudience::unicast, rtcp_tool()),
      from_(std::move(from)) {}

UdpDatagrams::~UdpDatagrams() { UdpDatagrams::end(); }

void UdpDatagrams::end() {
  if (!std::exchange(has_ended_, true)) receiver_.send_control_back(reports_to_, rtcp_.goodbye(steady_now()));
}

bool UdpDatagrams::read(SteadyTime limit, DatagramSink& sink) {
  std::optional<Instant> arrived;  // the clocks are read once per batch
  const auto pass_on = [&](Bytes datagram, const transport::PeerAddress& from, WallTime came) {
    if (!arrived) arrived = instant_now();
    if (!transport::allowed(from_, from)) {
      ++outside_;
      return;
    }
    rtcp_.on_media(datagram, arrived->steady, from);
    arrived->in_queue = time_in_queue(came, arrived->wall);
    sink.on_datagram(datagram, *arrived, from);
  };
  if (sink.wants_to_expect()) {
    expected_.clear();
    const auto announce = [&](Bytes datagram) { expected_.push_back(datagram); };
    receiver_.receive(limit, pass_on, announce, [&] { sink.expect(expected_); });
    sink.expect({});  // their memory is reused
  } else {
    receiver_.receive(limit, pass_on);
  }
  speak_rtcp(arrived ? arrived->steady : steady_now());
  return true;
}

void UdpDatagrams::speak_rtcp(SteadyTime now) {
  const auto due = rtcp_.next_deadline();
  const bool report = due && now >= *due;
  if (report || receiver_.control_waiting())
    receiver_.read_control([&](Bytes datagram, const transport::PeerAddress& from) {
      if (transport::allowed(from_, from) && rtcp_.on_control(datagram, steady_now(), from)) reports_to_ = from;
    });
  if (report) receiver_.send_control_back(reports_to_, rtcp_.report(now));
}

CaptureDatagrams::CaptureDatagrams(const std::string& path, Pace pace, std::vector<transport::PeerNetwork> from)
    : reader_(path), pace_(pace), next_(reader_.next()), from_(std::move(from)), begun_(instant_now()) {
  if (next_) first_ = position_ = next_->time;
}

Instant CaptureDatagrams::now() const {
  if (pace_ == Pace::as_captured) {  // the capture's clock runs in real time
    const SteadyTime steady = steady_now();
    return {steady, first_ + (steady - begun_.steady)};
  }
  return {begun_.steady + (position_ - first_), position_};
}

SteadyTime CaptureDatagrams::due(const transport::CapturedDatagram& datagram) const {
  return begun_.steady + (datagram.time - first_);
}

void CaptureDatagrams::pass_on(const Instant& arrived, DatagramSink& sink) {
  if (!transport::allowed(from_, next_->from)) {
    ++outside_;
    return;
  }
  ports_.set(next_->port);
  if (!is_sound(*next_))
    sink.on_datagram(next_->payload, arrived, next_->from);
  else if (on_sound_)
    on_sound_(next_->payload, arrived, next_->from);
}

// A sealed datagram shows nothing but its port, and it is unknown which port is the video's.
bool CaptureDatagrams::is_sound(const transport::CapturedDatagram& datagram) const {
  if (transport::is_sealed(datagram.payload))
    return datagram.port >= transport::kAudioPortOffset && ports_.test(datagram.port - transport::kAudioPortOffset);
  if (const auto own = transport::parse_own_datagram(datagram.payload))
    return own->type == static_cast<uint8_t>(transport::OwnType::sound_parity);
  const auto rtp = transport::parse_rtp(datagram.payload);
  return rtp && (rtp->payload_type == transport::kAudioPayloadType ||
                 rtp->payload_type == transport::kEncryptedAudioPayloadType);
}

bool CaptureDatagrams::read(SteadyTime limit, DatagramSink& sink) {
  if (!next_) return false;
  if (pace_ == Pace::unpaced) {
    position_ = std::max(position_, next_->time);
    pass_on(now(), sink);
    next_ = reader_.next();
    return true;
  }
  const SteadyTime until = std::min(limit, due(*next_));
  {
    std::unique_lock lock(mutex_);
    woken_.wait_until(lock, until, [this] { return wake_; });
    wake_ = false;
  }
  for (const Instant arrived = now(); next_ && due(*next_) <= arrived.steady; next_ = reader_.next())
    pass_on(arrived, sink);
  return true;
}

void CaptureDatagrams::wake() {
  {
    const std::lock_guard lock(mutex_);
    wake_ = true;
  }
  woken_.notify_all();
}

std::unique_ptr<UdpDatagrams> open_udp(const transport::Address& address, const std::string& interface,
                                       const std::vector<std::string>& from) {
  std::vector<transport::PeerNetwork> networks = networks_of(from);
  const unsigned index = interface.empty() ? 0 : transport::interface_index(interface);
  return std::make_unique<UdpDatagrams>(address, index, std::move(networks));
}

std::unique_ptr<DatagramSource> open_datagrams(const std::string& source, Pace pace, const std::string& interface,
                                               const std::vector<std::string>& from) {
  if (is_capture(source)) return std::make_unique<CaptureDatagrams>(capture_path(source), pace, networks_of(from));
  auto socket = open_udp(transport::resolve_address(source, true), interface, from);
  if (const std::string advice = socket->buffer_advice(); !advice.empty())
    log_warning("the system limits receive buffers, so that packets of large frames may be lost; to change it: {}",
                advice);
  return socket;
}

}  // namespace texcast::stream
