// rd_slice.h — a lossy slice of one tile or sub-slice while it is encoded.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "compact/adaptive_quantisation.h"
#include "compact/encoder_backend.h"
#include "compact/rd_parameters.h"
#include "compact/slice_syntax.h"
#include "compact/tile_grid.h"
#include "source_texels.h"

namespace texcast::compact {

struct RdSlice {
  const TileGrid& grid;
  const RdParameters& parameters;
  SliceHeader head;
  // The slice approximates the picture, or else texels, or else the decoded blocks of the input texture.
  const SourceTexels* source = nullptr;
  std::span<const SubBlockTexels> texels{};
  const std::byte* reference = nullptr;  // nullptr: the slice is intra
  std::byte* texture = nullptr;          // the input, which the reconstruction replaces
  SearchEffort effort{};
  CodedMask coded{};
  LambdaWeights lambda_weights{};
  std::array<bool, kMostPartitions> has_symbols{};  // partitions with a sub-block that is no motion copy
};

}  // namespace texcast::compact
