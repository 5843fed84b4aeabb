// bc6h.h — BC6H blocks: three channels of half floats, one or two regions of texels with a line each; docs/format.md
// defines the bits.
//
// Halves are represented as whole numbers: their 15 lower bits, negative if the sign is set, which has the order of
// their values. 0..0x7BFF is 0 to 65504; steps are finer the smaller the value is.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "texcast/quality.h"

namespace texcast::ref {

using Bc6hBlock = std::array<uint8_t, 16>;

// Texel i is in column i % 4 of row i / 4: red, green, blue.
using HalfBlock = std::array<std::array<int, 3>, 16>;

// For numbers from -0x7BFF to 0x7BFF. Without `is_signed` negative ones count as 0. `method` sets the effort: one of
// refine_once, refine, cluster, cluster_search.
Bc6hBlock encode_bc6h(const HalfBlock& texels, bool is_signed, Method method);

// Accepts any bytes: a reserved mode is black.
HalfBlock decode_bc6h(std::span<const uint8_t, 16> block, bool is_signed);

}  // namespace texcast::ref
