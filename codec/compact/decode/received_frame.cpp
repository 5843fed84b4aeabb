#include "received_frame.h"

#include <algorithm>

#include "transform_slice_decoder.h"

namespace texcast::compact {

ReceivedFrame::ReceivedFrame(const TileGrid& grid) : grid_(grid), content_(grid.tiles()), eighths_(grid.tiles()) {}

void ReceivedFrame::begin() {
  counts_ = {};
  std::ranges::fill(content_, TileContent::missing);
  slices_.clear();
  payloads_.clear();
  skipped_.clear();
  has_history_ = false;
}

void ReceivedFrame::parse(Bytes bytes) {
  Payload payload{.begin = slices_.size(), .skipped_begin = skipped_.size()};
  const auto header = parse_payload(
      grid_, bytes,
      [&](uint32_t first, uint32_t count) {
        skipped_.push_back({first, count});
      },
      [&](const ParsedSlice& slice) { payload.is_whole = add(slice) && payload.is_whole; },
      [&](const ChangeHistory& history) {
        history_ = history;
        has_history_ = true;
      });
  if (!header) ++counts_.damaged;
  payload.end = slices_.size();
  payload.skipped_end = skipped_.size();
  payload.is_parsed = header.has_value();
  payload.check = header ? header->check : 0;
  payloads_.push_back(payload);
}

// False: an earlier slice covers a part of it, so that it is ignored.
bool ReceivedFrame::add(const ParsedSlice& parsed) {
  const Slice& slice = parsed.slice;
  const auto eighths =
      static_cast<uint8_t>(((1u << 8 / slice.sub_slices) - 1) << 8 / slice.sub_slices * slice.sub_slice);
  for (uint32_t tile = slice.tile; tile < slice.tile + slice.tiles; ++tile)
    if (content_[tile] == TileContent::coded && (eighths_[tile] & eighths) != 0) return false;
  for (uint32_t tile = slice.tile; tile < slice.tile + slice.tiles; ++tile) {
    if (content_[tile] != TileContent::coded) eighths_[tile] = 0;
    eighths_[tile] |= eighths;
    content_[tile] = TileContent::coded;
  }
  slices_.push_back(
      {.parsed = parsed,
       .is_transform = is_lossy(parsed.coding) && is_transform_slice(parsed.bytes, is_intra(parsed.coding))});
  return true;
}

DecodedCounts ReceivedFrame::judge(bool has_reference, TileStates& tiles) {
  for (const Payload& payload : payloads_) {
    const bool sound = is_sound(payload, has_reference);
    if (sound && payload.is_whole) take_skipped(payload);
    count_slices(payload);
    for (size_t i = payload.begin; i < payload.end; ++i) {
      const ReceivedSlice& received = slices_[i];
      if (received.decoded && received.refers_right && sound) continue;
      const Slice& slice = received.parsed.slice;
      for (uint32_t tile = slice.tile; tile < slice.tile + slice.tiles; ++tile) spoiled_.push_back(tile);
    }
  }
  for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
    switch (content_[tile]) {
      case TileContent::missing:
        ++counts_.concealed;
        tiles.set_missing(tile);
        break;
      case TileContent::coded: tiles.set_coded(tile, is_complete(tile)); break;
      case TileContent::skipped: ++counts_.passed; break;
    }
  }
  for (const uint32_t tile : spoiled_) tiles.set_wrong(tile);
  spoiled_.clear();
  tiles.count(counts_);
  return counts_;
}

// Whether all of a payload is valid, and its check holds as far as it can be known.
bool ReceivedFrame::is_sound(const Payload& payload, bool has_reference) {
  uint32_t check = 0;
  bool all_right = true, sound = payload.is_parsed;
  for (size_t i = payload.begin; i < payload.end; ++i) {
    const ReceivedSlice& slice = slices_[i];
    // Whether bytes are valid never depends on the reference frame. A slice that lacks its reference is not damaged.
    const bool is_damaged = !slice.decoded && (has_reference || !needs_reference(slice.parsed.coding));
    counts_.damaged += is_damaged;
    sound = sound && !is_damaged;
    all_right = all_right && slice.decoded && slice.refers_right;
    check = joined_check(check, slice.check);
  }
  // The check means nothing if a slice was ignored, or read wrong tiles.
  const bool disagrees = all_right && payload.is_whole && check != payload.check;
  if (sound && disagrees) ++counts_.disagreed;
  return sound && !disagrees;
}

void ReceivedFrame::count_slices(const Payload& payload) {
  for (size_t i = payload.begin; i < payload.end; ++i) {
    const auto& [slice, coding, bytes] = slices_[i].parsed;
    if (is_lossy(coding)) counts_.lossy += slice.tiles;
    if (slices_[i].is_transform) counts_.transform += slice.tiles;
    switch (coding) {
      case Coding::inter:
      case Coding::lossy_inter: counts_.inter += slice.tiles; break;
      case Coding::intra:
      case Coding::lossy_intra:
      case Coding::samples: counts_.intra += slice.tiles; break;
      case Coding::raw: ++counts_.plain; break;
    }
  }
}

void ReceivedFrame::take_skipped(const Payload& payload) {
  for (size_t i = payload.skipped_begin; i < payload.skipped_end; ++i)
    for (uint32_t tile = skipped_[i].first; tile < skipped_[i].first + skipped_[i].count; ++tile)
      if (content_[tile] == TileContent::missing) content_[tile] = TileContent::skipped;
}

// Whether all of a tile's sub-slices came, but for those below the texture's lower edge, which have no blocks.
bool ReceivedFrame::is_complete(uint32_t tile) const {
  for (int sub_slice = 0; sub_slice < grid_.most_sub_slices(); ++sub_slice) {
    const Slice slice{tile, static_cast<uint8_t>(grid_.most_sub_slices()), static_cast<uint8_t>(sub_slice)};
    const int bits = 8 / grid_.most_sub_slices();
    const int eighths = ((1 << bits) - 1) << bits * sub_slice;
    if ((eighths_[tile] & eighths) != eighths && grid_.raw_bytes(slice) != 0) return false;
  }
  return true;
}

}  // namespace texcast::compact
