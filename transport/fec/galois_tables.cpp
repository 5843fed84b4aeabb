// galois_tables.cpp — instead of galois_isal.cpp: a product is two lookups, one for each half of the byte.
#include <cstring>

#include "galois.h"

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace texcast::transport::galois {
namespace {

uint8_t product(uint8_t a, uint8_t b) {
  unsigned sum = 0, power = a;  // of a and 2^bit
  for (unsigned bit = 0; bit < 8; ++bit) {
    if ((b >> bit & 1) != 0) sum ^= power;
    power = power << 1 ^ (power & 0x80 ? 0x11Du : 0u);
  }
  return static_cast<uint8_t>(sum);
}

// Adds the products of `from` to `to`.
void add_products(const uint8_t* table, const uint8_t* from, uint8_t* to, size_t bytes) {
  size_t i = 0;
#if defined(__wasm_simd128__)
  const v128_t low = wasm_v128_load(table), high = wasm_v128_load(table + 16), mask = wasm_i8x16_splat(15);
  for (; i + 16 <= bytes; i += 16) {
    const v128_t value = wasm_v128_load(from + i);
    const v128_t products = wasm_v128_xor(wasm_i8x16_swizzle(low, wasm_v128_and(value, mask)),
                                          wasm_i8x16_swizzle(high, wasm_u8x16_shr(value, 4)));
    wasm_v128_store(to + i, wasm_v128_xor(wasm_v128_load(to + i), products));
  }
#endif
  for (; i < bytes; ++i) to[i] ^= static_cast<uint8_t>(table[from[i] & 15] ^ table[16 + (from[i] >> 4)]);
}

const uint8_t* raw(const std::byte* bytes) { return reinterpret_cast<const uint8_t*>(bytes); }
uint8_t* raw(std::byte* bytes) { return reinterpret_cast<uint8_t*>(bytes); }

}  // namespace

uint8_t inverse(uint8_t value) {
  uint8_t power = 1;  // value^254, as every value^255 is 1
  for (int i = 0; i < 254; ++i) power = product(power, value);
  return power;
}

void make_tables(int sources, int rows, const uint8_t* factors, uint8_t* tables) {
  for (int factor = 0; factor < sources * rows; ++factor, tables += kTableBytes)
    for (unsigned i = 0; i < 16; ++i) {
      tables[i] = product(factors[factor], static_cast<uint8_t>(i));
      tables[16 + i] = product(factors[factor], static_cast<uint8_t>(i << 4));
    }
}

void multiply(int bytes, int sources, int rows, const uint8_t* tables, const std::byte* const* from,
              std::byte* const* results) {
  for (int row = 0; row < rows; ++row) std::memset(results[row], 0, static_cast<size_t>(bytes));
  for (int source = 0; source < sources; ++source) add(bytes, sources, rows, source, tables, from[source], results);
}

void add(int bytes, int sources, int rows, int source, const uint8_t* tables, const std::byte* from,
         std::byte* const* results) {
  for (int row = 0; row < rows; ++row)
    add_products(tables + (static_cast<size_t>(row) * sources + source) * kTableBytes, raw(from), raw(results[row]),
                 static_cast<size_t>(bytes));
}

}  // namespace texcast::transport::galois
