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

struct DecodingBuffers {
  // `most_slices`: also of their parts, which are tiles and sub-slices.
  DecodingBuffers(const DeviceQueue& queue, const TileGrid& grid, size_t most_slices)
      : reference(queue.memory(grid.texture_bytes())),
        reconstruction(queue.memory(grid.texture_bytes())),
        parts(queue.memory(most_slices * sizeof(texcast_decoded_part))),
        slices(queue.device(), queue.commands(), most_slices),
        results(queue.device(), queue.commands(), most_slices),
        right(queue.device(), queue.commands(), grid.tiles()) {
    words.emplace(queue.device(), queue.commands(), kFirstWords);
  }
  static constexpr size_t kFirstWords = size_t{1} << 18;

  cl::Buffer reference, reconstruction;  // textures
  cl::Buffer parts;                      // texcast_decoded_part
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
