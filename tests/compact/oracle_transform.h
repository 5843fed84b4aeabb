// oracle_transform.h — a tile or sub-slice of a transform slice, as the oracle decodes it.
#pragma once

#include <array>
#include <set>
#include <vector>

#include "oracle.h"
#include "oracle_symbols.h"

namespace oracle {

struct TransformInput {
  std::array<const Decoder::Component*, 3> components;
  std::array<std::array<int, 4>, 3> rects;  // as Decoder::blocks_of()
  const std::vector<std::byte>* reference;  // nullptr: the slice is intra
  const Samples& reference_samples;
  unsigned tiles_across;
  int quantiser;  // TransformQuantiser
};

// Decodes all its sub-blocks in `texture`, and their samples. Adds the tiles that they read to `referenced`.
void read_transform_tile(const TransformInput& input, Symbols& symbols, std::vector<std::byte>& texture,
                         Samples& samples, std::set<unsigned>& referenced, Decoder::Seen& seen);

// The sub-block that is fitted to 16 samples.
uint64_t fitted_block(const std::array<int, 16>& wanted);
// Texel i of a sub-block, rounded as in transform slices.
int nearest_texel(uint64_t sub_block, int i);

}  // namespace oracle
