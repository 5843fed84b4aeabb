#include "transform_decoding.h"

#include <algorithm>

#include "base/ensure.h"
#include "ocl/program.h"

namespace texcast::compact {

static_assert(sizeof(texcast_macroblock) == 4 * 4);

TransformDecoding::TransformDecoding(const DeviceQueue& queue, const DecodingTables& tables)
    : queue_(queue), tables_(tables) {
  const cl::Program program = ocl::build_program(queue.device(), "compact/decode_transform.cl", "-DCHANNEL=1");
  parse_ = cl::Kernel(program, "parse_transform");
  reconstruct_ = cl::Kernel(program, "reconstruct_transform");
}

// Levels take 12 KiB a tile, which streams without transform slices do without.
void TransformDecoding::make_room(size_t parts) {
  if (parts <= room_) return;
  room_ = std::max(parts, room_ * 3 / 2);
  constexpr size_t kLevels = size_t{TEXCAST_TRANSFORM_BLOCKS} * TEXCAST_COEFFICIENTS;
  macroblocks_ = queue_.memory(room_ * TEXCAST_MACROBLOCKS * sizeof(texcast_macroblock));
  levels_ = queue_.memory(room_ * TEXCAST_MACROBLOCKS * kLevels * sizeof(cl_short));
}

void TransformDecoding::parse(const DecodingBuffers& buffers, const SliceRange& slices, Stage& stage) {
  if (slices.count == 0) return;
  ENSURE(slices.first_part == 0);
  make_room(slices.parts);
  set_arguments(parse_, static_cast<cl_int>(slices.first), buffers.words->device(), buffers.slices.device(),
                tables_.descriptions, tables_.transform_buckets, tables_.transform_starts, tables_.sets, buffers.parts,
                macroblocks_, levels_, buffers.results.device(), cl::Local(sizeof(texcast_transform_parser)));
  queue_.launch_groups(parse_, slices.count, 1, stage);
}

void TransformDecoding::reconstruct(const DecodingBuffers& buffers, const SliceRange& slices, bool has_reference,
                                    Stage& stage) {
  if (slices.count == 0) return;
  set_arguments(reconstruct_, buffers.reference, tables_.descriptions, buffers.parts, macroblocks_, levels_,
                buffers.right.device(), static_cast<cl_int>(has_reference), buffers.reconstruction,
                buffers.results.device(), cl::Local(sizeof(texcast_transform_group)));
  queue_.launch_groups(reconstruct_, slices.parts, TEXCAST_TRANSFORM_DECODE_ITEMS, stage);
}

}  // namespace texcast::compact
