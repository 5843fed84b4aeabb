#include "stream/stream_wire.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

namespace texcast::stream {
namespace {

transport::PacketizerSettings packetizer_settings(const SendSettings& settings, const TextureDesc& texture, bool ipv6,
                                                  const StreamIdentity& identity) {
  return {.stream = stream_of(texture, settings.fps),
          .mtu = settings.mtu,
          .ipv6 = ipv6,
          .ssrc = identity.numbers->ssrc(),
          .numbers = identity.numbers};
}

// In a group all members would send the same NACKs, and from captures none come.
transport::WireChoice answering(transport::WireChoice wire, const Destinations& destinations,
                                const StreamIdentity& identity) {
  wire.sealer = identity.sealer;
  wire.answers_requests = wire.answers_requests && destinations.real_time() && destinations.all_unicast();
  return wire;
}

}  // namespace

// The rates are those of a slow core of 2023: it encrypts 4 Gb/s, and computes 12 Gb/s of the default parity.
int helper_threads(size_t frame_bytes, double fps, const transport::WireChoice& wire) {
  constexpr double kSealed = 4e9, kProtected = 12e9;
  constexpr double kLeastBits = 1.5e9;  // per second: one thread is always enough for 1920x1080 at 60
  constexpr double kToSpare = 0.3;      // part of the sending thread's time that this work may take
  constexpr double kOfAHelper = 0.25;   // of a helper's time, so that a frame is ready well before the next one
  constexpr int kMost = 7;
  const double bits = static_cast<double>(frame_bytes) * 8 * (fps > 0 ? fps : 60);
  const transport::FecChoice fec = transport::fec_on_wire(wire);
  const double parity = fec.kind == transport::FecKind::parity ? fec.percent : 0;
  double load = bits / kProtected * parity / transport::kUsualParityPercent;
  if (wire.crypto == transport::CryptoChoice::texcast) load += bits / kSealed;
  if (bits < kLeastBits || load <= kToSpare) return 0;
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(std::min(processors - 2, static_cast<int>(std::ceil(std::min(load / kOfAHelper, 100.0)))), 0,
                    kMost);
}

StreamWire raw_wire(const Destinations& destinations, const SendSettings& settings, const TextureDesc& texture,
                    const StreamIdentity& identity) {
  const auto packets = packetizer_settings(settings, texture, destinations.ipv6(), identity);
  const transport::WireChoice wire = answering(settings.wire, destinations, identity);
  const int threads = helper_threads(texture_layout(texture).total_bytes, settings.fps, wire);
  auto helpers = threads > 0 ? std::make_unique<WorkAhead>(threads) : nullptr;
  auto packetizer = transport::make_packetizer(packets, wire, helpers.get());
  return {.helpers = std::move(helpers),
          .plain = std::move(packetizer),
          .store = transport::make_retransmit_store(packets, wire, destinations.receivers_at_most()),
          .opener = transport::FeedbackOpener(packets.ssrc, wire.keys)};
}

StreamWire coded_wire(const Destinations& destinations, const SendSettings& settings, const TextureDesc& texture,
                      const StreamIdentity& identity, const CompactStream& compact) {
  auto packets = packetizer_settings(settings, texture, destinations.ipv6(), identity);
  packets.stream.coding = compact.coding;
  packets.stream.coder = compact.coder;
  const transport::WireChoice wire = answering(settings.wire, destinations, identity);
  const bool tiles = compact.on_tile_request && destinations.real_time() && destinations.hears_everybody();
  return {.compact = transport::make_compact_packetizer(packets, wire, tiles),
          .store = transport::make_retransmit_store(packets, wire, destinations.receivers_at_most()),
          .opener = transport::FeedbackOpener(packets.ssrc, wire.keys),
          .on_tile_request = compact.on_tile_request};
}

}  // namespace texcast::stream
