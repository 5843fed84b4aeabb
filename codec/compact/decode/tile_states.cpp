#include "tile_states.h"

#include <algorithm>

namespace texcast::compact {

TileStates::TileStates(const TileGrid& grid)
    : grid_(grid),
      right_(grid.tiles()),
      reference_right_(grid.tiles()),
      unsure_(grid.tiles()),
      changed_in_(grid.tiles()) {}

bool TileStates::is_row_right(int row) const {
  const auto first = right_.begin() + row * grid_.across();
  return std::count(first, first + grid_.across(), uint8_t{0}) == 0;
}

void TileStates::lose() {
  std::ranges::fill(right_, uint8_t{0});
  std::ranges::fill(unsure_, uint8_t{0});
}

void TileStates::lose_row(int row) { std::fill_n(right_.begin() + row * grid_.across(), grid_.across(), uint8_t{0}); }

void TileStates::begin(uint64_t frames_missing, const ChangeHistory* history) {
  resolve_unsure(frames_missing, history);
  if (frames_missing > 0) skip_frames(frames_missing, history);
  reference_right_ = right_;
}

// An unsure tile is right if the history covers all frames since the loss, and none of them changed it.
void TileStates::resolve_unsure(uint64_t frames_missing, const ChangeHistory* history) {
  std::ranges::fill(changed_in_, uint8_t{0});
  if (history != nullptr) {
    for (size_t i = ChangeHistory::kFrames; i-- > 0;)
      for (const TileRange& range : history->frames[i].ranges)
        for (uint32_t tile = range.first; tile < range.first + range.count; ++tile)
          changed_in_[tile] |= static_cast<uint8_t>(1u << i);
  }
  for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
    if (unsure_[tile] == 0) continue;
    const uint64_t back = unsure_[tile] - 1 + frames_missing;  // frames between that of the loss and this one
    if (history == nullptr && back + 1 < ChangeHistory::kFrames) {
      unsure_[tile] = static_cast<uint8_t>(back + 2);
      continue;
    }
    unsure_[tile] = 0;
    if (history == nullptr || back >= ChangeHistory::kFrames) continue;
    bool is_right = true;
    for (uint64_t i = 0; i <= back; ++i)
      is_right = is_right && history->frames[i].is_told && (changed_in_[tile] >> i & 1) == 0;
    right_[tile] = is_right ? 1 : 0;
  }
}

// The tiles that missing frames changed are wrong: those in the history, or all tiles if it does not cover the frames.
void TileStates::skip_frames(uint64_t frames, const ChangeHistory* history) {
  if (history == nullptr || frames > ChangeHistory::kFrames) return lose();
  for (uint64_t i = 0; i < frames; ++i) {
    if (!history->frames[i].is_told) return lose();
    for (const TileRange& range : history->frames[i].ranges)
      for (uint32_t tile = range.first; tile < std::min<uint64_t>(uint64_t{range.first} + range.count, grid_.tiles());
           ++tile)
        right_[tile] = 0;
  }
}

void TileStates::set_missing(uint32_t tile) {
  if (reference_right_[tile] != 0) unsure_[tile] = 1;
  right_[tile] = 0;
}

void TileStates::set_coded(uint32_t tile, bool is_right) {
  right_[tile] = is_right ? 1 : 0;
  unsure_[tile] = 0;
}

void TileStates::count(DecodedCounts& counts) const {
  for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
    counts.wrong += right_[tile] == 0 && unsure_[tile] == 0;
    counts.unsure += unsure_[tile] != 0;
    counts.repaired += right_[tile] != 0 && reference_right_[tile] == 0;
  }
}

}  // namespace texcast::compact
