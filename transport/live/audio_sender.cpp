#include "live/audio_sender.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "base/log.h"
#include "live/rtcp_name.h"
#include "texcast/error.h"
#include "transport/audio_packet.h"
#include "transport/interface.h"

namespace texcast::stream {
namespace {

transport::Address sound_address(const transport::Address& stream) {
  return at_port(stream, static_cast<uint16_t>(stream.port + transport::kAudioPortOffset));
}

bool same_address(const transport::Address& a, const transport::Address& b) {
  return std::ranges::equal(std::span(a.storage).first(a.length), std::span(b.storage).first(b.length));
}

bool any_ipv6(const std::vector<transport::Address>& addresses) {
  return std::ranges::any_of(addresses, &transport::Address::ipv6);
}

std::vector<transport::Address> sound_addresses(const std::vector<std::string>& urls) {
  std::vector<transport::Address> all;
  for (const std::string& url : urls) {
    if (!url.starts_with("rtp://")) continue;
    all.push_back(sound_address(transport::resolve_address(url, false)));
  }
  return all;
}

transport::AudioPacketizerSettings packets_of(const AudioSenderSettings& settings,
                                              const std::vector<transport::Address>& addresses) {
  std::random_device random;
  const bool sealed = settings.crypto == transport::CryptoChoice::texcast;
  transport::AudioPacketizerSettings packets{.coding = settings.coding,
                                             .rate = settings.rate,
                                             .bits = settings.bits,
                                             .channels = settings.channels,
                                             .mtu = settings.mtu,
                                             .ipv6 = any_ipv6(addresses),
                                             .reserved_bytes = sealed ? static_cast<int>(transport::kSealOverhead) : 0,
                                             .ssrc = random(),
                                             .first_sequence = static_cast<uint16_t>(random()),
                                             .first_buffer_id = random() & transport::kBufferIdMask,
                                             .timestamp_offset = random(),
                                             .parity = settings.parity ? 2 : 0};
  if (const auto mode = transport::ultragrid_mode(settings.crypto)) {
    packets.keys = settings.keys.get();
    packets.mode = *mode;
  }
  return packets;
}

transport::RtcpAudience audience_of_sound(const std::vector<transport::Address>& addresses) {
  return std::ranges::any_of(addresses, &transport::Address::multicast) ? transport::RtcpAudience::group
                                                                        : transport::RtcpAudience::unicast;
}

}  // namespace

AudioSender::AudioSender(const std::vector<std::string>& urls, const NetworkChoice& network,
                         const AudioSenderSettings& settings)
    : addresses_(sound_addresses(urls)),
      settings_(settings),
      packetizer_(packets_of(settings_, addresses_)),
      sealer_(settings.crypto == transport::CryptoChoice::texcast ? std::make_unique<transport::Sealer>(*settings.keys)
                                                                  : nullptr),
      rtcp_(rtcp_name(), std::random_device{}(), audience_of_sound(addresses_)),
      socket_({.destinations = addresses_,
               .multicast_ttl = network.multicast_ttl,
               .interface_index = network.interface.empty() ? 0 : transport::interface_index(network.interface),
               .control = true}) {}

AudioSender::~AudioSender() {
  if (has_destinations()) send_control(rtcp_.goodbye(steady_now(), wall_now()));
}

void AudioSender::send_control(Bytes datagram) {
  if (datagram.empty()) return;
  socket_.send_control(datagram);
  const transport::OutgoingPacket packet{.header = datagram, .payload = {}};
  send_to_viewers({&packet, 1});
}

void AudioSender::send_to_viewers(std::span<const transport::OutgoingPacket> packets) {
  for (const auto& viewers : settings_.viewers) viewers->send(web::Channel::sound, packets);
}

// Those that have just come learn at once how the sound's clock relates to the picture's.
void AudioSender::greet_viewers() {
  size_t watching = 0;
  for (const auto& viewers : settings_.viewers) watching += viewers->viewers();
  if (watching > greeted_) {
    const Bytes report = rtcp_.report_to_newcomer(steady_now(), wall_now());
    if (report.empty()) return;
    const transport::OutgoingPacket packet{.header = report, .payload = {}};
    send_to_viewers({&packet, 1});
  }
  greeted_ = watching;
}

void AudioSender::go_to(std::span<const transport::Address> stream, std::vector<std::shared_ptr<web::Stream>> viewers) {
  settings_.viewers = std::move(viewers);
  std::vector<transport::Address> fresh;
  for (const transport::Address& address : stream) fresh.push_back(sound_address(address));
  for (size_t i = addresses_.size(); i-- > 0;) {
    const auto stays =
        std::ranges::find_if(fresh, [&](const transport::Address& one) { return same_address(one, addresses_[i]); });
    if (stays != fresh.end()) {
      fresh.erase(stays);
      continue;
    }
    socket_.remove(i, rtcp_.goodbye(steady_now(), wall_now()));
    addresses_.erase(addresses_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const transport::Address& address : fresh) {
    try {
      socket_.add(address);
      addresses_.push_back(address);
    } catch (const Error& error) {
      log_warning("no sound goes to {}: {}", host_and_port(address), error.what());
    }
  }
  rtcp_.set_audience(audience_of_sound(addresses_));
  packetizer_.set_ipv6(any_ipv6(addresses_));
}

void AudioSender::send(const transport::AudioBuffer& buffer, WallTime time) {
  std::span<const transport::OutgoingPacket> packets = packetizer_.packetize(buffer);
  send_to_viewers(packets);
  if (sealer_) {
    sealed_.reset();
    std::vector<transport::OutgoingPacket>& list = sealed_.next_list();
    for (const transport::OutgoingPacket& packet : packets) {
      const MutableBytes out = sealed_.take(packet.size() + transport::kSealOverhead);
      list.push_back({sealer_->seal(packet.header, packet.payload, out, wall_now()), {}});
    }
    packets = list;
  }
  sent_.packets += packets.size();
  for (const transport::OutgoingPacket& packet : packets) sent_.bytes += packet.size();
  if (settings_.also_to) settings_.also_to(packets, time);
  rtcp_.on_sent(packets, steady_now(), buffer.captured);
  socket_.send(packets);
  greet_viewers();
}

void AudioSender::wait(SteadyTime deadline) {
  const SteadyTime report_at = rtcp_.next_deadline().value_or(deadline);
  socket_.wait(std::min(deadline, report_at), [&](const transport::Feedback& feedback) {
    const auto report = feedback.control ? transport::parse_rtcp(feedback.datagram) : std::nullopt;
    if (report) rtcp_.on_report(*report, to_text(feedback.from), feedback.arrived, wall_now());
  });
  if (steady_now() < report_at) return;
  send_control(rtcp_.report(steady_now(), wall_now()));
}

}  // namespace texcast::stream
