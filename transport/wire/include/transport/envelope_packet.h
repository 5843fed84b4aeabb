// envelope_packet.h — datagrams between a relay without the key of a sealed stream and its receivers, about the
// envelopes that both can read: a session, and counters. docs/wire.md specifies every bit.
//
// Neither is authenticated. A receiver takes nothing from them but when to ask and whom; what comes again is
// authenticated like everything sealed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "transport/own_packet.h"

namespace texcast::transport {

// Counters [first, first + count).
struct CounterRange {
  uint64_t first = 0;
  uint32_t count = 0;
  bool operator==(const CounterRange&) const = default;
};

// Adds a counter, which is above those of all `ranges`: to the last range if it follows it, else as a range of its own.
void append_counter(std::vector<CounterRange>& ranges, uint64_t counter);

// OwnType::envelope_repair, from a relay: it answers envelope NACKs for the session, and lacks these counters.
// OwnType::envelope_request, from a receiver: an envelope NACK for these counters.
struct EnvelopeList {
  static constexpr size_t kMaxRanges = 64;        // a datagram of 280 bytes
  static constexpr uint32_t kMaxCounters = 1024;  // of all ranges
  static constexpr uint64_t kMaxReach = 0xFFFF;   // from the first range to the beginning of another one
  uint64_t session = 0;
  uint64_t base = 0;  // the ranges count from here
  size_t ranges = 0;
  Bytes range_bytes{};                     // points into the datagram
  CounterRange range(size_t index) const;  // ascending, and none overlaps another
};
inline constexpr size_t kEnvelopeListHeaderBytes = 24;
inline constexpr size_t kMostEnvelopeListBytes = kEnvelopeListHeaderBytes + 4 * EnvelopeList::kMaxRanges;

// `body` follows the four bytes 'T', 'C', version, type. Nothing if it is too short, longer than its ranges, or
// contradicts itself. An envelope NACK has at least one range.
std::optional<EnvelopeList> parse_envelope_repair(Bytes body);
std::optional<EnvelopeList> parse_envelope_request(Bytes body);

// Writes a whole datagram of either type to the beginning of `out`, and returns the bytes written. `ranges` are
// ascending; those beyond the bounds above are left out.
size_t write_envelope_list(MutableBytes out, OwnType type, uint64_t session, std::span<const CounterRange> ranges);

}  // namespace texcast::transport
