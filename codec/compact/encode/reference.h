// reference.h — the reference of a slice, for both slice encoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compact/coded_slice.h"
#include "compact/motion_vector.h"
#include "compact/sub_block_index.h"

namespace texcast::compact {

class SamplePlanes;
class TransformReference;

struct Reference {
  const std::byte* texture = nullptr;       // the whole reference frame; nullptr: the slice is intra
  const SubBlockIndex* places = nullptr;    // lossless: positions of its sub-blocks by hash, one for each component
  std::span<const MotionVector> vectors{};  // of the slice's partitions, four in a row; lossy: in half pixels
  std::span<const uint8_t>
      lambda_weights{};  // lossy: those of the partitions (adaptive_quantisation.h); empty: all full
  // Its samples; nullptr: no inter transform slice can be coded.
  const SamplePlanes* samples = nullptr;
  const TransformReference* planes = nullptr;  // the same, interpolated; may be nullptr
  ReferencedTiles* touched = nullptr;          // collects the tiles that are referenced; may be nullptr
};

}  // namespace texcast::compact
