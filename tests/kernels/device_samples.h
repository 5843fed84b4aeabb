// device_samples.h — samples in the layout that decoding kernels use (cl_kernels/compact/reference_samples.cl).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compact/sample_planes.h"
#include "compact/tile_grid.h"

namespace check {

// A sub-block's 16 samples, row by row.
using BlockSamples = std::array<uint8_t, 16>;

// Those of all sub-blocks, at their positions in the texture.
inline std::vector<BlockSamples> device_samples(const texcast::compact::TileGrid& grid,
                                                const texcast::compact::SamplePlanes& planes) {
  std::vector<BlockSamples> all(grid.texture_bytes() / 8);
  for (int c = 0; c < grid.component_count(); ++c) {
    const texcast::compact::Component& component = grid.component(c);
    for (int y = 0; y < component.blocks_y; ++y)
      for (int x = 0; x < component.blocks_x; ++x)
        for (int row = 0; row < 4; ++row)
          std::memcpy(&all[component.at(x, y) / 8][static_cast<size_t>(4 * row)], planes.at(c, 4 * x, 4 * y + row), 4);
  }
  return all;
}

}  // namespace check
