// tile_lists.h — lists of tiles for kernels, and the parts of a texture that contain tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ensure.h"
#include "compact/encoder_backend.h"
#include "compact/tile_grid.h"
#include "device_memory.h"
#include "device_queue.h"

namespace texcast::compact {

// A part of TileLists.
struct TileList {
  cl_int first;
  cl_uint count;
};

// Those of a list, or of these the tiles that the device has found to be changed.
struct SomeTiles {
  TileList list{};
  bool only_changed = false;
};

// A frame's lists, one after the other. The previous frame's are kept meanwhile, as the device may still use them.
class TileLists {
 public:
  TileLists(const DeviceQueue& queue, const TileGrid& grid)
      : list_(queue.device(), queue.commands(), 2 * kMostLists * size_t{grid.tiles()}) {}

  void clear() {
    is_second_ = !is_second_;
    used_ = is_second_ ? list_.host().size() / 2 : 0;
  }
  TileList put(const DeviceQueue& queue, std::span<const uint32_t> tiles, Stage& stage) {
    ENSURE(used_ + tiles.size() <= list_.host().size() / (is_second_ ? 1 : 2));
    const TileList list{static_cast<cl_int>(used_), static_cast<cl_uint>(tiles.size())};
    const std::span<uint32_t> host = list_.host().subspan(used_, tiles.size());
    std::ranges::copy(tiles, host.begin());
    if (!tiles.empty()) queue.upload(list_.device(), used_ * sizeof(uint32_t), host.size_bytes(), host.data(), stage);
    used_ += tiles.size();
    return list;
  }
  const cl::Buffer& device() const { return list_.device(); }

 private:
  // Redrawn, coded, compared, drawn and changed tiles, and coded ones once more, by where their samples are.
  static constexpr size_t kMostLists = 6;
  MirroredList<uint32_t> list_;
  bool is_second_ = false;  // half of it, which has this frame's
  size_t used_ = 0;
};

inline uint32_t number_of(uint32_t tile) { return tile; }
inline uint32_t number_of(const TileToEncode& tile) { return tile.tile; }

// Calls `call(first, last)` for runs of consecutive rows of tiles that have some of `tiles`, which are ascending.
template <typename Tiles, typename Call>
void for_rows(const TileGrid& grid, const Tiles& tiles, const Call& call) {
  const auto across = static_cast<uint32_t>(grid.across());
  const auto row_of = [&](size_t i) { return static_cast<int>(number_of(tiles[i]) / across); };
  for (size_t i = 0; i < tiles.size();) {
    const int first = row_of(i);
    int last = first;
    for (; i < tiles.size() && row_of(i) <= last + 1; ++i) last = row_of(i);
    call(first, last);
  }
}

// Calls `call(offset, bytes)` for the parts of a texture that contain these rows.
template <typename Tiles, typename Call>
void for_ranges(const TileGrid& grid, const Tiles& tiles, const Call& call) {
  for_rows(grid, tiles, [&](int first, int last) {
    for (int c = 0; c < grid.component_count(); ++c) {
      const Component& component = grid.component(c);
      if (component.offset % component.stride != 0) continue;  // it lies in the blocks of the previous component
      const size_t begin = component.at(0, std::min(first * component.tile_rows(), component.blocks_y));
      const size_t end = component.at(0, std::min((last + 1) * component.tile_rows(), component.blocks_y));
      if (begin < end) call(begin, end - begin);
    }
  });
}

}  // namespace texcast::compact
