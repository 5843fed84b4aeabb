// decoding_buffers.h — the slices of a received frame and its textures, on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "compact/tile_grid.h"
#include "device_memory.h"
#include "device_queue.h"
#include "kernels/compact.h"

namespace texcast::compact {

static_assert(sizeof(texcast_decoded_component) == 24 * 4 && sizeof(texcast_slice_to_decode) == 8 * 4 &&
              sizeof(texcast_decoded_part) == 24 * 4 && sizeof(texcast_decoded_slice) == 2 * 4 &&
              sizeof(texcast_macroblock) == 4 * 4);

struct DecodingBuffers {
  // `most_slices`: also of their parts, which are tiles and sub-slices.
  DecodingBuffers(const DeviceQueue& queue, const TileGrid& grid, size_t most_slices)
      : reference(queue.memory(grid.texture_bytes())),
        reconstruction(queue.memory(grid.texture_bytes())),
        symbols(queue.memory(grid.texture_bytes() / 8 * sizeof(cl_uint4))),
        parts(queue.memory(most_slices * sizeof(texcast_decoded_part))),
        slices(queue.device(), queue.commands(), most_slices),
        results(queue.device(), queue.commands(), most_slices),
        right(queue.device(), queue.commands(), grid.tiles()) {
    words.emplace(queue.device(), queue.commands(), kFirstWords);
    make_transform_room(queue, 1);
  }
  // Replaces macroblocks and levels if they have no room for so many parts. Levels take 12 KiB a part, which streams
  // without transform slices do without.
  void make_transform_room(const DeviceQueue& queue, size_t count);
  static constexpr size_t kFirstWords = size_t{1} << 18;

  cl::Buffer reference, reconstruction;  // textures
  cl::Buffer symbols;                    // of each sub-block in block-coded slices
  cl::Buffer parts;                      // texcast_decoded_part
  cl::Buffer macroblocks, levels;        // of each part in transform slices
  size_t transform_room = 0;             // parts
  MirroredList<texcast_slice_to_decode> slices;
  MirroredList<texcast_decoded_slice> results;
  MirroredList<uint8_t> right;                  // of each tile of the reference frame
  std::optional<MirroredList<uint16_t>> words;  // of all slices; replaced if a frame has more
};

// Slices of one kind, and their parts.
struct SliceRange {
  size_t first = 0, count = 0;
  size_t first_part = 0, parts = 0;
};

}  // namespace texcast::compact
