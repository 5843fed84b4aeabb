// transform_decoding.h — decodes transform slices on a device.
#pragma once

#include <cstddef>

#include "compact/tile_grid.h"
#include "decoding_buffers.h"
#include "decoding_tables.h"
#include "device_queue.h"

namespace texcast::compact {

// Borrows `queue` and `tables`. parse() and reconstruct() enqueue kernels.
class TransformDecoding {
 public:
  // The grid can_transform().
  TransformDecoding(const DeviceQueue& queue, const DecodingTables& tables);
  // Slices, the first ones of the frame, to macroblocks and their levels. Sets the slices' parts and results.
  void parse(const DecodingBuffers& buffers, const SliceRange& slices, Stage& stage);
  // These to sub-blocks. Adds to the results.
  void reconstruct(const DecodingBuffers& buffers, const SliceRange& slices, bool has_reference, Stage& stage);

 private:
  void make_room(size_t parts);

  const DeviceQueue& queue_;
  const DecodingTables& tables_;
  cl::Kernel parse_, reconstruct_;
  size_t room_ = 0;                  // parts
  cl::Buffer macroblocks_, levels_;  // of each part
};

}  // namespace texcast::compact
