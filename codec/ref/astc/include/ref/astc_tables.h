// ref/astc_tables.h — the tables of ASTC's encoder, which kernels take as they are: kernels/astc.h says what is where.
// Made from the standard's rules by the decoder's own functions, and from lists of what is likely.
#pragma once

#include <cstdint>
#include <span>

namespace texcast::ref {

// For blocks of side x side texels: 4, 5, 6 or 8. Made at the first call for a size; thread-safe.
std::span<const uint32_t> astc_tables(int side);

}  // namespace texcast::ref
