// vector_arguments.h — motion vectors as arguments of kernels.
#pragma once

#include <cstdint>
#include <span>

#include "base/ensure.h"
#include "compact/motion_candidates.h"
#include "ocl/opencl.h"

namespace texcast::compact {

// The frame's vectors, four at most.
inline cl_int8 global_vectors(std::span<const MotionVector> global) {
  cl_int8 vectors{};
  ENSURE(global.size() <= 4);
  for (size_t i = 0; i < global.size(); ++i) {
    vectors.s[2 * i] = global[i].x;
    vectors.s[2 * i + 1] = global[i].y;
  }
  return vectors;
}

// x is in the lower 16 bits, y in the upper ones.
inline MotionVector unpacked_vector(cl_uint v) {
  return {static_cast<int16_t>(v & 0xFFFF), static_cast<int16_t>(v >> 16)};
}
inline MotionCandidates unpacked_candidates(const cl_uint4& w) {
  return {{{unpacked_vector(w.s[0]), w.s[1]}, {unpacked_vector(w.s[2]), w.s[3]}}};
}

inline void put_vectors(const TileVectors& vectors, int (&to)[16]) {
  for (size_t partition = 0; partition < vectors.size(); ++partition) {
    to[2 * partition] = vectors[partition].x;
    to[2 * partition + 1] = vectors[partition].y;
  }
}

}  // namespace texcast::compact
