// oracle_sample.h — a sample slice, as the oracle decodes it.
#pragma once

#include <array>
#include <vector>

#include "oracle.h"
#include "oracle_symbols.h"

namespace oracle {

struct SampleInput {
  std::array<const Decoder::Component*, 3> components;
  std::array<std::array<int, 4>, 3> rects;  // as Decoder::blocks_of()
};

// Decodes all its sub-blocks in `texture`, and their samples.
void read_sample_slice(const SampleInput& input, Symbols& symbols, std::vector<std::byte>& texture, Samples& samples,
                       Decoder::Seen& seen);

}  // namespace oracle
