// gfni_sums.h — sums of products in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1 by GFNI: a product with a constant is
// linear in the bits of the other factor, so it is one 8x8 bit matrix, which one instruction applies to 64 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/cauchy_parity.h"

namespace texcast::transport::gfni {

inline constexpr int kLanes = 8;  // results that are accumulated side by side, in registers

bool available();                    // supported by this processor and this build
uint64_t matrix_of(uint8_t factor);  // in the format of GF2P8AFFINEQB

// results[j] += sum over i < count of sources[i] * matrices[i * kLanes + j], j < lanes (1 … kLanes); with `fresh` =
// instead of +=. Reads and writes exactly `bytes` of each. Requires available().
void add(const uint64_t* matrices, int count, const CauchyParity::DataSymbols& sources, int lanes,
         const CauchyParity::ParitySymbols& results, size_t bytes, bool fresh);

}  // namespace texcast::transport::gfni
