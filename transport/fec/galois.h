// galois.h — sums of products in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1, of many bytes: galois_isal.cpp by ISA-L, or
// galois_tables.cpp for targets without that library (player/web). Both give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace texcast::transport::galois {

inline constexpr size_t kTableBytes = 32;  // for each factor: its products with 0..15, then with 0, 16, …, 240

uint8_t inverse(uint8_t value);  // of 0: anything

// Writes the tables of `rows` x `sources` factors, row by row.
void make_tables(int sources, int rows, const uint8_t* factors, uint8_t* tables);
// results[r] = sum over s of factor[r][s] * from[s], of `bytes` bytes (1 and more).
void multiply(int bytes, int sources, int rows, const uint8_t* tables, const std::byte* const* from,
              std::byte* const* results);
// results[r] += factor[r][source] * from.
void add(int bytes, int sources, int rows, int source, const uint8_t* tables, const std::byte* from,
         std::byte* const* results);

}  // namespace texcast::transport::galois
