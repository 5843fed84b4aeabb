// ref/astc_tables.h — the tables of the ASTC encoder, which kernels use unchanged: kernels/astc.h describes their
// layout. They are computed from the standard's rules by the decoder's own functions, and from lists of likely choices.
#pragma once

#include <cstdint>
#include <span>

namespace texcast::ref {

// For blocks of side x side texels: 4, 5, 6 or 8. Computed at the first call for a size; thread-safe.
std::span<const uint32_t> astc_tables(int side);

}  // namespace texcast::ref
