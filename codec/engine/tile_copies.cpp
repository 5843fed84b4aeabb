#include "tile_copies.h"

#include <algorithm>
#include <cstring>

#include "base/ensure.h"

namespace texcast {

TileCopies::TileCopies(const TextureDesc& desc, size_t slots)
    : grid_(tile_raster(desc.width, desc.height)),
      changed_(grid_.count()),
      held_(slots * grid_.count()),
      stale_(grid_.count()) {
  const TextureLayout layout = texture_layout(desc);
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
    const PlaneLayout& plane = layout.planes[p];
    const TileBlocks tile = tile_blocks(format_row(desc.format).planes[p]);
    planes_.push_back({.offset = plane.offset,
                       .bytes = plane.bytes,
                       .row_bytes = plane.bytes / static_cast<size_t>(plane.blocks_y),
                       .tile_bytes = static_cast<size_t>(tile.across * plane.block_bytes),
                       .tile_rows = static_cast<size_t>(tile.down)});
  }
}

void TileCopies::next(size_t slot, std::span<const uint8_t> changed, std::span<const uint8_t> lost) {
  ENSURE(changed.size() == grid_.count() && (lost.empty() || lost.size() == changed.size()));
  ++frame_;
  stale_count_ = 0;
  uint64_t* const held = held_.data() + slot * grid_.count();
  for (size_t t = 0; t < changed.size(); ++t) {
    if (changed[t] != 0) changed_[t] = frame_;
    const bool stale = changed[t] == 0 && (held[t] != changed_[t] || (!lost.empty() && lost[t] != 0));
    held[t] = changed_[t];
    stale_[t] = static_cast<uint8_t>(stale);
    stale_count_ += static_cast<size_t>(stale);
  }
}

void TileCopies::next_whole(size_t slot, std::span<const uint8_t> changed) {
  next(slot, changed);
  stale_count_ = 0;
}

void TileCopies::forget(size_t slot) {
  std::fill_n(held_.begin() + static_cast<std::ptrdiff_t>(slot * grid_.count()), grid_.count(), 0);
}

void TileCopies::take_over(const std::byte* from, std::byte* to, size_t offset, size_t bytes) const {
  if (stale_count_ == 0) return;
  for (const Plane& plane : planes_) {
    const size_t begin = std::max(offset, plane.offset), end = std::min(offset + bytes, plane.offset + plane.bytes);
    for (size_t at = begin; at < end; at += plane.row_bytes) {
      const size_t row = (at - plane.offset) / plane.row_bytes / plane.tile_rows;
      const auto columns = static_cast<size_t>(grid_.columns);
      const uint8_t* const stale = stale_.data() + row * columns;
      for (size_t x = 0; x < columns; ++x) {
        if (stale[x] == 0) continue;
        const size_t left = x * plane.tile_bytes;
        std::memcpy(to + at + left, from + at + left, std::min(plane.tile_bytes, plane.row_bytes - left));
      }
    }
  }
}

}  // namespace texcast
