#include "transport/envelope_packet.h"

#include <algorithm>

#include "base/ensure.h"

namespace texcast::transport {
namespace {

// Offsets count from after the four bytes at the beginning of texcast's datagrams.
constexpr size_t kListSessionAt = 0, kListBaseAt = 8, kListCountAt = 16, kListReservedAt = 18;
constexpr size_t kListRangesAt = kEnvelopeListHeaderBytes - kOwnHeaderBytes;

std::optional<EnvelopeList> parse_list(Bytes body) {
  if (body.size() < kListRangesAt) return std::nullopt;
  EnvelopeList list{.session = load_be64(body, kListSessionAt),
                    .base = load_be64(body, kListBaseAt),
                    .ranges = load_be16(body, kListCountAt),
                    .range_bytes = body.subspan(kListRangesAt)};
  if (list.ranges > EnvelopeList::kMaxRanges || list.range_bytes.size() != 4 * list.ranges) return std::nullopt;
  uint64_t end = list.base;
  uint32_t counters = 0;
  for (size_t i = 0; i < list.ranges; ++i) {
    const CounterRange range = list.range(i);
    // A sum that wraps is below the base.
    if (range.count == 0 || range.first < end || range.first + range.count < range.first) return std::nullopt;
    end = range.first + range.count;
    counters += range.count;
  }
  return counters > EnvelopeList::kMaxCounters ? std::nullopt : std::optional(list);
}

}  // namespace

void append_counter(std::vector<CounterRange>& ranges, uint64_t counter) {
  if (!ranges.empty() && ranges.back().first + ranges.back().count == counter)
    ++ranges.back().count;
  else
    ranges.push_back({.first = counter, .count = 1});
}

CounterRange EnvelopeList::range(size_t index) const {
  return {.first = base + load_be16(range_bytes, 4 * index), .count = load_be16(range_bytes, 4 * index + 2)};
}

std::optional<EnvelopeList> parse_envelope_repair(Bytes body) { return parse_list(body); }

std::optional<EnvelopeList> parse_envelope_request(Bytes body) {
  const auto list = parse_list(body);
  return list && list->ranges > 0 ? list : std::nullopt;
}

size_t write_envelope_list(MutableBytes out, OwnType type, uint64_t session, std::span<const CounterRange> ranges) {
  ENSURE(out.size() >= kEnvelopeListHeaderBytes + 4 * std::min(ranges.size(), EnvelopeList::kMaxRanges));
  write_own_header(out, type);
  const MutableBytes body = out.subspan(kOwnHeaderBytes);
  const uint64_t base = ranges.empty() ? 0 : ranges.front().first;
  size_t written = 0;
  uint32_t left = EnvelopeList::kMaxCounters;
  for (const CounterRange& range : ranges) {
    if (written == EnvelopeList::kMaxRanges || left == 0 || range.first - base > EnvelopeList::kMaxReach) break;
    const uint32_t count = std::min(range.count, left);
    store_be16(body, kListRangesAt + 4 * written, static_cast<uint16_t>(range.first - base));
    store_be16(body, kListRangesAt + 4 * written + 2, static_cast<uint16_t>(count));
    left -= count;
    ++written;
  }
  store_be64(body, kListSessionAt, session);
  store_be64(body, kListBaseAt, base);
  store_be16(body, kListCountAt, static_cast<uint16_t>(written));
  store_be16(body, kListReservedAt, 0);
  return kEnvelopeListHeaderBytes + 4 * written;
}

}  // namespace texcast::transport
