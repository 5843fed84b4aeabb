#include "changed_texture.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <thread>

#include "base/ensure.h"
#include "compact/slice_bytes.h"

namespace texcast::compact {
namespace {

// At least. They take about 50 us to compare, and as much to upload.
constexpr size_t kTilesOfPart = 2048;
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
  items_.reserve(grid.tiles() / kTilesOfItem + kMostParts);
}

void ChangedTexture::start(Bytes texture) { std::ranges::copy(texture, static_cast<std::byte*>(host_texture_.data())); }

void ChangedTexture::upload(const BackendFrame& frame, Workers& workers, Stage& stage, const Uploaded& uploaded) {
  std::ranges::fill(differences_, TileDifference{0});
  divide(frame.compared);
  size_t next = 0;
  const auto upload_complete_parts = [&] {
    for (; next < part_count_ && parts_[next].items_left.load(std::memory_order_acquire) == 0; ++next)
      upload(parts_[next].tiles, stage, uploaded);
  };
  const auto caller = std::this_thread::get_id();
  workers.parallel_for(items_.size(), [&](size_t i) {
    for (const uint32_t tile : items_[i].tiles) take_if_changed(frame, tile);
    parts_[items_[i].part].items_left.fetch_sub(1, std::memory_order_release);
    if (std::this_thread::get_id() == caller) upload_complete_parts();
  });
  upload_complete_parts();
}

// Divides the tiles into parts, and these into items.
void ChangedTexture::divide(std::span<const uint32_t> compared) {
  part_count_ = 0;
  items_.clear();
  for (auto left = compared; !left.empty();) {
    ENSURE(part_count_ < kMostParts);
    Part& part = parts_[part_count_];
    part.tiles = next_rows(left);
    left = left.subspan(part.tiles.size());
    for (auto tiles = part.tiles; !tiles.empty(); tiles = tiles.subspan(items_.back().tiles.size()))
      items_.push_back({.tiles = tiles.first(std::min(kTilesOfItem, tiles.size())), .part = part_count_});
    part.items_left = (part.tiles.size() + kTilesOfItem - 1) / kTilesOfItem;
    ++part_count_;
  }
}

// The first of these tiles, up to the end of a row.
std::span<const uint32_t> ChangedTexture::next_rows(std::span<const uint32_t> tiles) const {
  const size_t least = std::max<size_t>(kTilesOfPart, grid_.tiles() / (kMostParts / 2));
  if (tiles.size() <= least + least / 2) return tiles;
  const auto across = static_cast<uint32_t>(grid_.across());
  const uint32_t end = (tiles[least - 1] / across + 1) * across;
  return tiles.first(static_cast<size_t>(std::ranges::lower_bound(tiles, end) - tiles.begin()));
}

// Starts uploading the rows of these tiles if they changed.
void ChangedTexture::upload(std::span<const uint32_t> tiles, Stage& stage, const Uploaded& uploaded) {
  changed_.clear();
  std::ranges::copy_if(tiles, std::back_inserter(changed_), [&](uint32_t tile) { return differences_[tile] != 0; });
  if (changed_.empty()) return;
  for_ranges(grid_, changed_, [&](size_t at, size_t bytes) {
    queue_.upload(texture_, at, bytes, static_cast<const std::byte*>(host_texture_.data()) + at, stage);
  });
  uploaded(changed_);
  queue_.commands().flush();
}

void ChangedTexture::take_if_changed(const BackendFrame& frame, uint32_t tile) {
  if (!frame.reference.empty() && !differs(grid_, {.tile = tile}, frame.texture.data(), frame.reference.data())) return;
  differences_[tile] = kChanged;
  copy_tile(grid_, tile, frame.texture.data(), static_cast<std::byte*>(host_texture_.data()));
}

}  // namespace texcast::compact
