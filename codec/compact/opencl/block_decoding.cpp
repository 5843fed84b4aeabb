#include "block_decoding.h"

namespace texcast::compact {

BlockDecoding::BlockDecoding(const DeviceQueue& queue, const TileGrid& grid, const DecodingTables& tables,
                             const cl::Program& program)
    : queue_(queue),
      tables_(tables),
      parse_(program, "parse_slices"),
      reconstruct_(program, "reconstruct"),
      symbols_(queue.memory(grid.texture_bytes() / 8 * sizeof(cl_uint4))) {}

void BlockDecoding::parse(const DecodingBuffers& buffers, const SliceRange& slices, Stage& stage) {
  if (slices.count == 0) return;
  set_arguments(parse_, static_cast<cl_int>(slices.first), buffers.words->device(), buffers.slices.device(),
                tables_.descriptions, tables_.components, tables_.buckets, tables_.starts, tables_.sets, buffers.parts,
                symbols_, buffers.results.device());
  queue_.launch_groups(parse_, slices.count, 1, stage);
}

void BlockDecoding::reconstruct(const DecodingBuffers& buffers, const SliceRange& slices, bool has_reference,
                                Stage& stage) {
  if (slices.count == 0) return;
  for (cl_int number = 0; number < tables_.components; ++number) {
    set_arguments(reconstruct_, static_cast<cl_int>(slices.first_part), buffers.reference, tables_.descriptions, number,
                  buffers.parts, symbols_, buffers.right.device(), static_cast<cl_int>(has_reference),
                  buffers.reconstruction, buffers.results.device());
    queue_.launch_groups(reconstruct_, slices.parts, tables_.sub_blocks[static_cast<size_t>(number)], stage);
  }
}

}  // namespace texcast::compact
