#include "compact/payload.h"

#include <algorithm>
#include <bit>

#include "base/ensure.h"
#include "compact/sub_block.h"

namespace texcast::compact {
namespace {

constexpr uint32_t kNoSlice = 7, kHistory = 6;  // values of the coding
constexpr uint32_t kSkipLimit = 63;
constexpr uint32_t kSeveralTiles = 15;                  // value of the part
constexpr uint32_t kMostSkipped = kSkipLimit + 0xFFFF;  // by one record

// The bytes of the records that skip so many tiles, of which the last one has a slice.
size_t record_bytes(uint32_t skipped) {
  size_t bytes = 0;
  for (; skipped > kMostSkipped; skipped -= kMostSkipped) bytes += kRecordBytes + 2;
  return bytes + kRecordBytes + (skipped < kSkipLimit ? 0 : 2);
}

size_t number_bytes(uint32_t number) { return number < 1u << 7 ? 1 : number < 1u << 14 ? 2 : 3; }

// The last bytes of a history. It takes effect before the slices after it are decoded, and thus before the payload's
// check can be verified.
constexpr size_t kHistoryCheckBytes = 2;
uint16_t history_check(uint32_t heads) { return static_cast<uint16_t>(heads >> 16); }

// Bytes that do not decode to sub-blocks enter the check as they are.
uint32_t joined_with(uint32_t check, Bytes bytes) {
  for (const std::byte byte : bytes) check = joined_check(check, std::to_integer<uint32_t>(byte));
  return check;
}

// The hash is rotated, because the upper bits of a factor do not affect the lower bits of the product: differences only
// in the upper bits of two sub-blocks would often be missed.
uint64_t joined_hash(uint64_t hash, uint64_t sub_block) {
  return std::rotl(hash ^ sub_block, 32) * 0x9E3779B97F4A7C15u;
}
uint64_t first_hash(const Slice& slice) { return slice.tile + 1; }
uint32_t check_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

// A slice whose check is computed tile by tile.
struct CheckLane {
  const Slice* slice = nullptr;
  size_t number = 0;  // of the slice
  uint32_t tile = 0;  // the next one in the slice
  uint64_t hash = 0;
};

constexpr size_t kCheckLanes = 4;
using CheckLanes = std::array<CheckLane, kCheckLanes>;

// A step of all lanes, if their tiles have the same number of sub-blocks.
bool join_tiles(const TileGrid& grid, const std::byte* texture, CheckLanes& lanes) {
  std::array<std::array<BlockRect, kMostComponents>, kCheckLanes> rects;
  for (size_t lane = 0; lane < kCheckLanes; ++lane)
    for (int i = 0; i < grid.component_count(); ++i) {
      rects[lane][i] = grid.blocks(grid.component(i), lanes[lane].slice->only(lanes[lane].tile));
      if (rects[lane][i].width() != rects[0][i].width() || rects[lane][i].height() != rects[0][i].height())
        return false;
    }
  uint64_t a = lanes[0].hash, b = lanes[1].hash, c = lanes[2].hash, d = lanes[3].hash;
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    const size_t row_bytes = static_cast<size_t>(std::max(rects[0][i].width(), 0)) * component.stride;
    for (int y = 0; y < rects[0][i].height(); ++y) {
      const auto row_of = [&](size_t lane) { return texture + component.at(rects[lane][i].x0, rects[lane][i].y0 + y); };
      const std::byte *const of_a = row_of(0), *const of_b = row_of(1), *const of_c = row_of(2),
                             *const of_d = row_of(3);
      for (size_t at = 0; at < row_bytes; at += component.stride) {
        a = joined_hash(a, load_sub_block(of_a + at));
        b = joined_hash(b, load_sub_block(of_b + at));
        c = joined_hash(c, load_sub_block(of_c + at));
        d = joined_hash(d, load_sub_block(of_d + at));
      }
    }
  }
  lanes[0].hash = a, lanes[1].hash = b, lanes[2].hash = c, lanes[3].hash = d;
  return true;
}

void join_tile(const TileGrid& grid, const std::byte* texture, CheckLane& lane) {
  grid.for_each_sub_block(lane.slice->only(lane.tile),
                          [&](size_t at) { lane.hash = joined_hash(lane.hash, load_sub_block(texture + at)); });
}

}  // namespace

uint32_t slice_check(const TileGrid& grid, const Slice& slice, const std::byte* texture) {
  uint64_t hash = first_hash(slice);
  grid.for_each_sub_block(slice, [&](size_t at) { hash = joined_hash(hash, load_sub_block(texture + at)); });
  return check_of(hash);
}

void slice_checks(const TileGrid& grid, std::span<const Slice> slices, const std::byte* texture,
                  std::span<uint32_t, kChecksAtOnce> checks) {
  CheckLanes lanes;
  size_t used = 0, next = 0;  // lanes, the first ones; and the slice that a free lane takes
  const auto take = [&](CheckLane& lane) {
    lane = {.slice = &slices[next], .number = next, .hash = first_hash(slices[next])};
    ++next;
  };
  while (used < kCheckLanes && next < slices.size()) take(lanes[used++]);
  while (used > 0) {
    if (used < kCheckLanes || !join_tiles(grid, texture, lanes))
      for (size_t lane = 0; lane < used; ++lane) join_tile(grid, texture, lanes[lane]);
    for (size_t lane = 0; lane < used;) {
      if (++lanes[lane].tile < lanes[lane].slice->tiles) {
        ++lane;
        continue;
      }
      checks[lanes[lane].number] = check_of(lanes[lane].hash);
      if (next < slices.size())
        take(lanes[lane++]);
      else
        lanes[lane] = lanes[--used];
    }
  }
}

void PayloadSizes::begin(size_t history_bytes) {
  next_ = 0;
  is_within_tile_ = false;
  used_ = kPayloadHeaderBytes + history_bytes;
  closed_ = {};
}

bool PayloadSizes::add(const CodedSlice& coded) {
  const uint32_t tile = coded.slice.tile;
  const size_t own = coded.bytes.size() + (coded.slice.tiles > 1 ? 1 : 0);
  const bool is_same_tile = is_within_tile_ && tile + 1 == next_;
  if (is_same_tile) --next_;
  const size_t head = record_bytes(tile - next_);
  const size_t rest = record_bytes(tiles_ - tile - coded.slice.tiles);  // if it is the frame's last slice
  const bool opens = used_ > kPayloadHeaderBytes && used_ + head + own + rest > most_bytes_;
  if (opens) {
    ++closed_.payloads;
    closed_.bytes += used_;
    closed_.longest = std::max(closed_.longest, used_);
    used_ = kPayloadHeaderBytes;
  }
  used_ += head + own;
  next_ = tile + coded.slice.tiles;
  is_within_tile_ = coded.slice.sub_slices > 1;
  return opens;
}

PayloadSizes::Sum PayloadSizes::ended() const {
  const size_t last = used_ + (next_ < tiles_ ? record_bytes(tiles_ - next_) : 0);
  return {closed_.payloads + 1, closed_.bytes + last, std::max(closed_.longest, last)};
}

// Reserves memory as if each slice had a payload of its own, which is more than any frame needs. Sample slices are
// longer than the sub-blocks: in literals the samples take twice as many bytes, and a few more.
PayloadWriter::PayloadWriter(const TileGrid& grid, size_t most_bytes)
    : tiles_(grid.tiles()), sizes_(grid.tiles(), most_bytes) {
  const size_t slices = size_t{grid.tiles()} * static_cast<size_t>(grid.most_sub_slices());
  const size_t most_bytes_of_slices = (grid.can_transform() ? 3 : 1) * grid.texture_bytes();
  memory_.reserve(most_bytes_of_slices + (slices + 2) * (kPayloadHeaderBytes + 2 * kMostRecordBytes) +
                  ChangeHistory::kMostBytes + ChangeHistory::kFrames + kMostRecordBytes);
}

void PayloadWriter::open(uint32_t tile) {
  opened_at_ = memory_.size();
  memory_.resize(opened_at_ + kPayloadHeaderBytes);
  store_le<3>(memory_, opened_at_, tile);
  check_ = 0;
  heads_ = joined_check(0, tile);
}

void PayloadWriter::close() {
  store_le32(memory_, opened_at_ + 3, heads_ ^ check_);
  payloads_.push_back(Bytes(memory_).subspan(opened_at_));
}

void PayloadWriter::record(uint32_t skipped, uint32_t coding, uint32_t part, Bytes slice, uint16_t tiles) {
  const size_t at = memory_.size();
  const bool is_long = skipped >= kSkipLimit;
  ENSURE(at + kMostRecordBytes + slice.size() <= memory_.capacity());
  memory_.resize(at + kRecordBytes + (is_long ? 2 : 0));
  const auto head =
      static_cast<uint32_t>(slice.size()) | coding << 11 | part << 14 | std::min(skipped, kSkipLimit) << 18;
  store_le<3>(memory_, at, head);
  heads_ = joined_check(heads_, head);
  if (is_long) {
    store_le16(memory_, at + kRecordBytes, static_cast<uint16_t>(skipped - kSkipLimit));
    heads_ = joined_check(heads_, skipped - kSkipLimit);
  }
  if (part == kSeveralTiles) {
    memory_.push_back(static_cast<std::byte>(tiles - 1));
    heads_ = joined_check(heads_, tiles - 1u);
  }
  if (coding > static_cast<uint32_t>(Coding::raw)) heads_ = joined_with(heads_, slice);
  memory_.insert(memory_.end(), slice.begin(), slice.end());
}

void PayloadWriter::put_history(const ChangeHistory& history) {
  std::array<std::byte, ChangeHistory::kMostBytes + ChangeHistory::kFrames + kHistoryCheckBytes> bytes;
  size_t used = 0;
  for (size_t i = 0; i < history.frames.size(); ++i) {
    const auto& frame = history.frames[i];
    const size_t begin = used;
    const auto fits = [&](uint32_t number) {
      const size_t size = number_bytes(number);
      if (used + size > ChangeHistory::kMostBytes) return false;
      for (size_t k = 0; k < size; ++k, number >>= 7)
        bytes[used++] = static_cast<std::byte>((number & 127) | (k + 1 < size ? 128 : 0));
      return true;
    };
    bool is_described = frame.is_described && fits(static_cast<uint32_t>(frame.ranges.size()) + 1);
    uint32_t end = 0;
    for (size_t k = 0; is_described && k < frame.ranges.size(); ++k) {
      const TileRange& range = frame.ranges[k];
      is_described = fits(range.first - end) && fits(range.count);
      end = range.first + range.count;
    }
    if (is_described) continue;
    used = begin;
    bytes[used++] = std::byte{0};
  }
  const auto head = static_cast<uint32_t>(used + kHistoryCheckBytes) | kHistory << 11;
  store_le16(bytes, used, history_check(joined_with(joined_check(heads_, head), Bytes(bytes).first(used))));
  record(0, kHistory, 0, Bytes(bytes).first(used + kHistoryCheckBytes));
}

std::span<const Bytes> PayloadWriter::write(std::span<const CodedSlice> slices, const ChangeHistory* history) {
  begin(history);
  add(slices);
  end();
  return payloads_;
}

void PayloadWriter::begin(const ChangeHistory* history) {
  memory_.clear();
  payloads_.clear();
  open(0);
  if (history != nullptr) put_history(*history);
  history_bytes_ = memory_.size() - opened_at_ - kPayloadHeaderBytes;
  sizes_.begin(history_bytes_);
}

std::span<const Bytes> PayloadWriter::add(std::span<const CodedSlice> slices) {
  const size_t completed = payloads_.size();
  for (const CodedSlice& slice : slices) add(slice);
  return std::span<const Bytes>(payloads_).subspan(completed);
}

std::span<const Bytes> PayloadWriter::end() {
  if (sizes_.next() < tiles_) record(skip(tiles_ - sizes_.next()), kNoSlice, 0, {});
  close();
  return std::span<const Bytes>(payloads_).last(1);
}

// Returns the number of tiles that the next record has to skip itself.
uint32_t PayloadWriter::skip(uint32_t tiles) {
  for (; tiles > kMostSkipped; tiles -= kMostSkipped) record(kMostSkipped, kNoSlice, 0, {});
  return tiles;
}

void PayloadWriter::add(const CodedSlice& coded) {
  ENSURE(coded.bytes.size() <= kMostSliceBytes);
  const uint32_t tile = coded.slice.tile;
  const uint32_t next = sizes_.next();
  const bool opens = sizes_.add(coded);
  const uint32_t first = std::min(next, tile);  // smaller than `next` for a further sub-slice of the same tile
  if (opens) {
    close();
    open(first);
  }
  const bool has_several = coded.slice.tiles > 1;
  record(skip(tile - first), static_cast<uint32_t>(coded.coding),
         has_several ? kSeveralTiles : coded.slice.sub_slices - 1u + coded.slice.sub_slice, coded.bytes,
         coded.slice.tiles);
  check_ = joined_check(check_, coded.check);
}

namespace {

std::optional<uint32_t> take_number(ByteReader& reader) {
  uint32_t number = 0;
  for (int shift = 0; shift < 21; shift += 7) {
    const auto byte = reader.take_le<1>();
    if (!byte) return std::nullopt;
    number |= static_cast<uint32_t>(*byte & 127) << shift;
    if (*byte < 128) return number;
  }
  return std::nullopt;
}

std::optional<ChangeHistory> parse_history(const TileGrid& grid, Bytes bytes) {
  ByteReader reader(bytes);
  ChangeHistory history;
  for (auto& frame : history.frames) {
    const auto count = take_number(reader);
    if (!count) return std::nullopt;
    frame.is_described = *count > 0;
    uint32_t end = 0;
    for (uint32_t i = 1; i < *count; ++i) {
      const auto gap = take_number(reader), tiles = take_number(reader);
      if (!gap || !tiles || *tiles == 0 || *gap > grid.tiles() - end || *tiles > grid.tiles() - end - *gap)
        return std::nullopt;
      frame.ranges.push_back({end + *gap, *tiles});
      end += *gap + *tiles;
    }
  }
  if (reader.remaining() > 0) return std::nullopt;
  return history;
}

}  // namespace

std::optional<PayloadHeader> parse_payload(const TileGrid& grid, Bytes payload,
                                           const std::function<void(uint32_t first, uint32_t count)>& on_skipped,
                                           const std::function<void(const ParsedSlice&)>& on_slice,
                                           const std::function<void(const ChangeHistory&)>& on_history) {
  ByteReader reader(payload);
  const auto first = reader.take_le<3>();
  const auto check = reader.take_le<4>();
  if (!first || !check || *first >= grid.tiles()) return std::nullopt;
  auto next = static_cast<uint32_t>(*first);
  uint32_t heads = joined_check(0, next);
  Slice last{.tile = ~0u};
  while (reader.remaining() > 0) {
    const auto head = reader.take_le<3>();
    if (!head) return std::nullopt;
    const auto length = static_cast<size_t>(*head & 0x7FF);
    const auto coding = static_cast<uint32_t>(*head >> 11 & 7);
    const auto part = static_cast<uint32_t>(*head >> 14 & 15);
    auto skip = static_cast<uint32_t>(*head >> 18);
    heads = joined_check(heads, static_cast<uint32_t>(*head));
    if (skip == kSkipLimit) {
      const auto more = reader.take_le<2>();
      if (!more) return std::nullopt;
      skip += static_cast<uint32_t>(*more);
      heads = joined_check(heads, static_cast<uint32_t>(*more));
    }
    uint32_t tiles = 1;
    if (part == kSeveralTiles) {
      const auto more = reader.take_le<1>();
      const bool is_lossy_slice =
          coding == static_cast<uint32_t>(Coding::lossy_inter) || coding == static_cast<uint32_t>(Coding::lossy_intra);
      if (!more || *more == 0 || !is_lossy_slice) return std::nullopt;
      tiles += static_cast<uint32_t>(*more);
      heads = joined_check(heads, tiles - 1);
    }
    const auto slice_bytes = reader.take(length);
    if (!slice_bytes) return std::nullopt;
    if (coding == kHistory) {
      if (length < kHistoryCheckBytes || skip != 0 || part != 0) return std::nullopt;
      const Bytes ranges = slice_bytes->first(length - kHistoryCheckBytes);
      const uint16_t expected = history_check(joined_with(heads, ranges));
      const auto history = parse_history(grid, ranges);
      if (!history || expected != load_le16(*slice_bytes, ranges.size())) return std::nullopt;
      if (on_history) on_history(*history);
    }
    if (coding > static_cast<uint32_t>(Coding::raw)) heads = joined_with(heads, *slice_bytes);
    if (coding == kHistory) continue;
    uint32_t sub_slices = 1;
    while (part != kSeveralTiles && part >= 2 * sub_slices - 1) sub_slices *= 2;
    const uint32_t sub_slice = part != kSeveralTiles ? part - (sub_slices - 1) : 0;
    // A further sub-slice of the previous record's tile.
    if (coding != kNoSlice && skip == 0 && last.tile + 1 == next && last.tile != ~0u && sub_slices > 1 &&
        sub_slices == last.sub_slices && sub_slice > last.sub_slice)
      --next;
    if (skip > grid.tiles() - next) return std::nullopt;
    if (skip > 0) on_skipped(next, skip);
    next += skip;
    if (coding == kNoSlice) {
      if (length != 0 || part != 0) return std::nullopt;
      last.tile = ~0u;
      continue;
    }
    if (next >= grid.tiles() || sub_slices > static_cast<uint32_t>(grid.most_sub_slices())) return std::nullopt;
    // A slice lies in one row of tiles.
    const auto across = static_cast<uint32_t>(grid.across());
    if (tiles > across - next % across) return std::nullopt;
    last = {.tile = next,
            .sub_slices = static_cast<uint8_t>(sub_slices),
            .sub_slice = static_cast<uint8_t>(sub_slice),
            .tiles = static_cast<uint16_t>(tiles)};
    on_slice({last, static_cast<Coding>(coding), *slice_bytes});
    next += tiles;
    last.tile = next - 1;
  }
  return PayloadHeader{static_cast<uint32_t>(*first), static_cast<uint32_t>(*check) ^ heads};
}

size_t covered_bytes(const TileGrid& grid, Bytes payload) {
  size_t bytes = 0;
  parse_payload(
      grid, payload, [](uint32_t, uint32_t) {},
      [&](const ParsedSlice& parsed) {
        bytes += grid.usual_tile_bytes() * parsed.slice.tiles / parsed.slice.sub_slices;
      });
  return bytes;
}

}  // namespace texcast::compact
