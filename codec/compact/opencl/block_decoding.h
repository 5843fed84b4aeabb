// block_decoding.h — decodes block-coded lossy slices on a device.
#pragma once

#include "compact/tile_grid.h"
#include "decoding_buffers.h"
#include "decoding_tables.h"
#include "device_queue.h"

namespace texcast::compact {

// Borrows `queue` and `tables`. parse() and reconstruct() enqueue kernels.
class BlockDecoding {
 public:
  // `program`: compact/decode.cl.
  BlockDecoding(const DeviceQueue& queue, const TileGrid& grid, const DecodingTables& tables,
                const cl::Program& program);
  // Slices to symbols. Sets the slices' parts and results.
  void parse(const DecodingBuffers& buffers, const SliceRange& slices, Stage& stage);
  // Symbols to sub-blocks. Adds to the results.
  void reconstruct(const DecodingBuffers& buffers, const SliceRange& slices, bool has_reference, Stage& stage);

 private:
  const DeviceQueue& queue_;
  const DecodingTables& tables_;
  cl::Kernel parse_, reconstruct_;
  cl::Buffer symbols_;
};

}  // namespace texcast::compact
