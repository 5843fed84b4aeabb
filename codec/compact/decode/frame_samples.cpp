#include "frame_samples.h"

#include <algorithm>

namespace texcast::compact {
namespace {

constexpr uint8_t kAllParts = 0xFF;

}  // namespace

FrameSamples::FrameSamples(const TileGrid& grid, Workers& workers)
    : grid_(grid),
      workers_(workers),
      of_blocks_(grid.tiles(), kAllParts),
      away_(grid.tiles()),
      is_behind_(grid.tiles(), uint8_t{1}),
      is_whole_(grid.tiles()),
      row_changed_in_(static_cast<size_t>(grid.down())) {}

void FrameSamples::forget() {
  std::ranges::fill(of_blocks_, kAllParts);
  std::ranges::fill(away_, uint8_t{0});
  has_own_ = false;
}

bool FrameSamples::is_any_away() const {
  return std::ranges::any_of(away_, [](uint8_t parts) { return parts != 0; });
}

void FrameSamples::lose(uint32_t tile) {
  of_blocks_[tile] = kAllParts;
  away_[tile] = 0;
}

void FrameSamples::allocate() {
  for (auto& planes : planes_)
    if (!planes) planes.emplace(grid_);
}

std::span<const uint8_t> FrameSamples::reference() {
  allocate();
  return newest().all();
}

void FrameSamples::bring(std::span<const uint8_t> of_backend) {
  allocate();
  ++number_;
  const auto count = static_cast<uint8_t>(grid_.most_sub_slices());
  for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
    if (away_[tile] == 0) continue;
    for (uint8_t i = 0; i < count; ++i)
      if (const Slice part{tile, count, i}; (away_[tile] & eighths_of(part)) != 0)
        newest().copy(grid_, part, of_backend);
    away_[tile] = 0;
    is_behind_[tile] = 1;
    row_changed_in_[tile / static_cast<uint32_t>(grid_.across())] = number_;
  }
}

std::span<const uint8_t> FrameSamples::make_all(const std::byte* texture) {
  allocate();
  workers_.parallel_for(row_changed_in_.size(), [&](size_t row) {
    const auto across = static_cast<uint32_t>(grid_.across()), first = static_cast<uint32_t>(row) * across;
    for (uint32_t tile = first; tile < first + across; ++tile) make(tile, texture);
  });
  return newest().all();
}

uint8_t FrameSamples::make(uint32_t tile, const std::byte* texture) {
  allocate();
  const auto count = static_cast<uint8_t>(grid_.most_sub_slices());
  for (uint8_t i = 0; i < count && of_blocks_[tile] != 0; ++i) {
    const Slice part = of_blocks_[tile] == kAllParts ? Slice{.tile = tile} : Slice{tile, count, i};
    if ((of_blocks_[tile] & eighths_of(part)) == 0) continue;
    newest().decode(grid_, part, texture);
    of_blocks_[tile] &= static_cast<uint8_t>(~eighths_of(part));
    is_behind_[tile] = 1;
    row_changed_in_[tile / static_cast<uint32_t>(grid_.across())] = number_;
  }
  return static_cast<uint8_t>(~away_[tile]);
}

void FrameSamples::begin(std::span<const ReceivedSlice> slices, const std::byte* texture) {
  is_used_ = is_reference_used_ = false;
  if (!grid_.can_transform()) return;
  for (const ReceivedSlice& received : slices) {
    if (received.is_from_backend) continue;
    is_used_ = is_used_ || received.has_samples();
    is_reference_used_ =
        is_reference_used_ || (received.is_transform && texture != nullptr && !is_intra(received.parsed.coding));
  }
  if (!is_used_) return;
  allocate();
  ++number_;
  std::ranges::fill(is_whole_, uint8_t{0});
  for (const ReceivedSlice& received : slices)
    if (received.parsed.slice.sub_slices == 1)
      std::fill_n(is_whole_.begin() + received.parsed.slice.tile, received.parsed.slice.tiles, uint8_t{1});
  workers_.parallel_for(row_changed_in_.size(), [&](size_t row) {
    const auto across = static_cast<uint32_t>(grid_.across()), first = static_cast<uint32_t>(row) * across;
    for (uint32_t tile = first; tile < first + across; ++tile) {
      if (is_reference_used_) make(tile, texture);
      if (is_behind_[tile] == 0 || is_whole_[tile] != 0) continue;
      other().copy(grid_, {.tile = tile}, newest());
      is_behind_[tile] = 0;
    }
  });
}

SliceSamples FrameSamples::surroundings() {
  if (!is_used_) return {};
  return {.reference = is_reference_used_ ? &newest() : nullptr, .made = &other()};
}

void FrameSamples::finish(std::span<const ReceivedSlice> slices) {
  if (!grid_.can_transform()) return;
  ++number_;
  for (const ReceivedSlice& received : slices) take(received);
  if (is_used_) newest_ = 1 - newest_;
  is_used_ = is_reference_used_ = false;
}

void FrameSamples::take(const ReceivedSlice& received) {
  const Slice& slice = received.parsed.slice;
  if (!received.decoded) {  // restores what the decoder may have overwritten
    if (is_used_) other().copy(grid_, slice, newest());
    return;
  }
  has_own_ = has_own_ || received.has_samples();
  const uint8_t parts = eighths_of(slice);
  const auto others = static_cast<uint8_t>(~parts);
  for (uint32_t tile = slice.tile; tile < slice.tile + slice.tiles; ++tile) {
    of_blocks_[tile] &= others;
    if (!received.has_samples()) of_blocks_[tile] |= parts;
    away_[tile] &= others;
    if (received.is_from_backend && received.has_samples()) away_[tile] |= parts;
    is_behind_[tile] = 1;
  }
  row_changed_in_[slice.tile / static_cast<uint32_t>(grid_.across())] = number_;
}

}  // namespace texcast::compact
