#include "changed_texture.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "compact/slice_bytes.h"

namespace texcast::compact {
namespace {

// A part of a frame takes about 50 us to compare, and as much to upload.
constexpr size_t kTilesOfPart = 1024;
constexpr size_t kTilesOfItem = 32;  // for a thread at once

// Components that lie in the same blocks are copied together.
void copy_tile(const TileGrid& grid, uint32_t tile, const std::byte* from, std::byte* to) {
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    if (component.offset % component.stride != 0) continue;
    const BlockRect rect = grid.blocks(component, {.tile = tile});
    for (int y = rect.y0; y < rect.y1; ++y) {
      const size_t at = component.at(rect.x0, y);
      std::memcpy(to + at, from + at, static_cast<size_t>(rect.width()) * component.stride);
    }
  }
}

}  // namespace

ChangedTexture::ChangedTexture(const DeviceQueue& queue, const TileGrid& grid, const cl::Buffer& texture)
    : queue_(queue),
      grid_(grid),
      texture_(texture),
      host_texture_(queue.device(), queue.commands(), grid.texture_bytes()),
      differences_(grid.tiles()) {
  changed_.reserve(grid.tiles());
}

void ChangedTexture::start(Bytes texture) { std::ranges::copy(texture, static_cast<std::byte*>(host_texture_.data())); }

void ChangedTexture::upload(const BackendFrame& frame, Workers& workers, Stage& stage,
                            const std::function<void(std::span<const uint32_t>)>& uploaded) {
  std::ranges::fill(differences_, TileDifference{0});
  for (auto left = frame.compared; !left.empty();) {
    const auto tiles = next_rows(left);
    left = left.subspan(tiles.size());
    compare(frame, workers, tiles);
    changed_.clear();
    std::ranges::copy_if(tiles, std::back_inserter(changed_), [&](uint32_t tile) { return differences_[tile] != 0; });
    if (changed_.empty()) continue;
    for_ranges(grid_, changed_, [&](size_t at, size_t bytes) {
      queue_.upload(texture_, at, bytes, static_cast<const std::byte*>(host_texture_.data()) + at, stage);
    });
    uploaded(changed_);
    queue_.commands().flush();
  }
}

// The first of these tiles, up to the end of a row.
std::span<const uint32_t> ChangedTexture::next_rows(std::span<const uint32_t> tiles) const {
  if (tiles.size() <= kTilesOfPart + kTilesOfPart / 2) return tiles;
  const auto across = static_cast<uint32_t>(grid_.across());
  const uint32_t end = (tiles[kTilesOfPart - 1] / across + 1) * across;
  return tiles.first(static_cast<size_t>(std::ranges::lower_bound(tiles, end) - tiles.begin()));
}

void ChangedTexture::compare(const BackendFrame& frame, Workers& workers, std::span<const uint32_t> tiles) {
  workers.parallel_for((tiles.size() + kTilesOfItem - 1) / kTilesOfItem, [&](size_t item) {
    const size_t first = item * kTilesOfItem;
    for (const uint32_t tile : tiles.subspan(first, std::min(kTilesOfItem, tiles.size() - first)))
      take_if_changed(frame, tile);
  });
}

void ChangedTexture::take_if_changed(const BackendFrame& frame, uint32_t tile) {
  if (!frame.reference.empty() && !differs(grid_, {.tile = tile}, frame.texture.data(), frame.reference.data())) return;
  differences_[tile] = kChanged;
  copy_tile(grid_, tile, frame.texture.data(), static_cast<std::byte*>(host_texture_.data()));
}

}  // namespace texcast::compact
