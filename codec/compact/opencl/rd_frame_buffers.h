// rd_frame_buffers.h — the textures and planes of a lossy encoder on the device.
#pragma once

#include <cstddef>
#include <vector>

#include "compact/encoder_backend.h"
#include "component_argument.h"
#include "device_memory.h"
#include "device_queue.h"

namespace texcast::compact {

inline size_t sub_blocks_of_tile(const texcast_component& component) {
  return static_cast<size_t>(component.tile_columns) * static_cast<size_t>(component.tile_rows);
}
inline size_t sub_blocks_of_tile(const TileGrid& grid) {
  size_t sub_blocks = 0;
  for (int i = 0; i < grid.component_count(); ++i)
    sub_blocks += static_cast<size_t>(grid.component(i).tile_columns() * grid.component(i).tile_rows());
  return sub_blocks;
}

struct RdFrameBuffers {
  RdFrameBuffers(const DeviceQueue& queue, const TileGrid& grid)
      : sub_blocks(grid.texture_bytes() / 8),
        pixels(static_cast<size_t>(grid.component(0).blocks_x) * grid.component(0).blocks_y * 16),
        host_texture(queue.device(), queue.commands(), sub_blocks * 8),
        host_reconstruction(queue.device(), queue.commands(), sub_blocks * 8) {
    for (int i = 0; i < grid.component_count(); ++i) components.push_back(component_argument(grid, grid.component(i)));
    for (cl::Buffer* memory : {&texture, &previous_texture, &reference, &reconstruction})
      *memory = queue.memory(sub_blocks * 8);
    for (cl::Buffer* memory : {&source_plane, &previous_plane, &reference_plane}) *memory = queue.memory(pixels);
    chroma = queue.memory(pixels * 2 * sizeof(int16_t));
    matched_vectors = queue.memory(grid.tiles() * sizeof(cl_uint8));
    texels = queue.memory(sub_blocks * sizeof(SubBlockTexels));
    changes = queue.memory(grid.tiles() * sizeof(TileDifference));
  }
  size_t first_sub_blocks() const { return sub_blocks_of_tile(components[0]); }

  const size_t sub_blocks, pixels;  // of a texture, of a plane
  std::vector<texcast_component> components;
  // The block encoder's textures of this frame and of the previous one; the decoders' textures of the previous frame
  // and of this one.
  cl::Buffer texture, previous_texture, reference, reconstruction;
  cl::Buffer source_plane, previous_plane, reference_plane;  // their luma; for this frame that of the picture
  cl::Buffer chroma;                                         // 2 Co and 4 Cg of the picture
  cl::Buffer matched_vectors;                                // of partitions of changed tiles (window_index.cl)
  cl::Buffer texels;                                         // that sub-blocks approximate: uchar[sub-blocks][16]
  cl::Buffer changes;                                        // TileDifference of each tile
  PinnedBytes host_texture, host_reconstruction;
};

}  // namespace texcast::compact
