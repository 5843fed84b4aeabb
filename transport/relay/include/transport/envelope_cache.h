// envelope_cache.h — keeps the envelopes of a sealed session as they pass a relay without the key, by their counters,
// so that it answers the envelope NACKs of its receivers. No I/O; time is an argument.
//
// The envelopes lie in slabs of some ten milliseconds each, in the order of their arrival; the oldest slab makes room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/answer_limit.h"
#include "transport/envelope_packet.h"
#include "transport/packet_cache.h"
#include "transport/packetizer.h"

namespace texcast::transport {

// Not thread-safe. Any counter and any list may be passed; memory is bounded by the settings.
class EnvelopeCache {
 public:
  explicit EnvelopeCache(const PacketCacheSettings& settings = {})
      : settings_(settings), limit_(settings.part, settings.at_once) {}

  // An envelope that passes. A second one with the same counter is not stored.
  void keep(uint64_t counter, Bytes envelope, SteadyTime now);
  // The requested envelopes that are here and that the receiver may have, and behind them, if some are not here, a
  // datagram that says so; it leaves out those for which `is_awaited` is true. `list` is of the session that is kept.
  // Valid until the next call of any of these.
  std::span<const OutgoingPacket> answer(uint32_t receiver, const EnvelopeList& list, SteadyTime now,
                                         const std::function<bool(uint64_t)>& is_awaited);
  void forget(uint32_t receiver) { limit_.forget(receiver); }
  void clear();  // another session begins

  uint64_t requests() const { return requests_; }
  uint64_t sent_again() const { return sent_again_; }  // envelopes
  size_t bytes() const;                                // that are stored

 private:
  static constexpr size_t kSlabs = 16;
  static constexpr size_t kMostPieces = 1 << 14;  // of a slab
  struct Piece {
    uint64_t counter = 0;
    size_t begin = 0, end = 0;  // in Slab::bytes
  };
  struct Slab {
    SteadyTime begun{};
    std::vector<std::byte> bytes{};
    std::vector<Piece> pieces{};  // by counter
  };
  const Piece* find(uint64_t counter, SteadyTime now, const Slab** in) const;
  Slab& slab_for(size_t bytes, SteadyTime now);

  const PacketCacheSettings settings_;
  std::array<Slab, kSlabs> slabs_{};
  size_t latest_ = 0;  // slab that is being filled
  AnswerLimit limit_;
  std::vector<OutgoingPacket> answer_;
  std::vector<CounterRange> lacking_;
  std::array<std::byte, kMostEnvelopeListBytes> lacking_bytes_{};
  uint64_t requests_ = 0, sent_again_ = 0;
};

}  // namespace texcast::transport
