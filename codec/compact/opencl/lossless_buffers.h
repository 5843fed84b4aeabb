// lossless_buffers.h — the buffers of a lossless encoder on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compact/tables.h"
#include "component_argument.h"
#include "device_memory.h"
#include "device_queue.h"

namespace texcast::compact {

struct LosslessComponent {
  LosslessComponent(const DeviceQueue& queue, const TileGrid& grid, const Component& component)
      : argument(component_argument(grid, component)),
        sub_blocks(static_cast<size_t>(component.tile_columns()) * static_cast<size_t>(component.tile_rows())) {
    const SymbolTables tables = symbol_tables(component.tables);
    costs = constant_buffer(queue.device(), tables.costs);
    rank_costs = constant_buffer(queue.device(), tables.of_ranks);
    index = queue.memory(index_bytes());
    analysis = queue.memory(grid.tiles() * sub_blocks * sizeof(texcast_analysis));
    choices = queue.memory(grid.tiles() * sub_blocks * sizeof(cl_uint2));
  }
  size_t index_bytes() const { return (size_t{1} << (64 - argument.index_shift)) * 8 * sizeof(uint32_t); }
  bool is_channel() const { return argument.kind == TEXCAST_CHANNEL; }

  texcast_component argument;
  size_t sub_blocks;  // in a tile
  cl::Buffer index;   // SubBlockIndex of the reference frame
  cl::Buffer costs, rank_costs, analysis, choices;
};

struct LosslessBuffers {
  LosslessBuffers(const DeviceQueue& queue, const TileGrid& grid)
      : texture_bytes((grid.texture_bytes() + 7) / 8 * 8),
        texture(queue.memory(texture_bytes)),
        reference(queue.memory(texture_bytes)),
        vectors(queue.memory(grid.tiles() * sizeof(TileVectors))) {
    for (int i = 0; i < grid.component_count(); ++i) components.emplace_back(queue, grid, grid.component(i));
    const Component& first = grid.component(0);
    const size_t pixels = static_cast<size_t>(first.blocks_x) * static_cast<size_t>(first.blocks_y) * 16;
    source_plane = queue.memory(pixels);
    reference_plane = queue.memory(pixels);
  }

  const size_t texture_bytes;
  std::vector<LosslessComponent> components;
  cl::Buffer texture, reference;  // equal, except where this frame changed
  cl::Buffer source_plane, reference_plane;
  cl::Buffer vectors;  // of each tile
};

}  // namespace texcast::compact
