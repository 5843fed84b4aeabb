// reed_solomon.h — Reed-Solomon over GF(2^8), polynomial 0x11D, systematic: k data symbols and m parity symbols of
// equal length; any k of the k+m recover the data.
//
//   ReedSolomon code(ReedSolomon::Matrix::cauchy, 100, 10);
//   code.encode(data, parity, 1424);                 // 100 pointers to 1424 bytes, 10 to be written
//   …
//   if (code.repair(symbols, present, 1424)) …        // 110 pointers; those of the missing data are written
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace texcast::transport {

// Not thread-safe: use one per thread. Nothing is allocated after the first encode() or add() and the first repair().
class ReedSolomon {
 public:
  static constexpr int kMaxSymbols = 255;  // k + m
  using Present = std::bitset<kMaxSymbols>;

  enum class Matrix : uint8_t {
    // zfec's (UltraGrid): a polynomial of degree k-1 through the data at x = 0, 1, a, a^2 … (a = 2); parity is its
    // value at the following points. That is V * inverse(V[0..k-1]) of Rizzo's Vandermonde matrix V.
    zfec,
    // parity[j] = sum over i of data[i] / ((255 - j) xor i): no entry depends on k or m, so a shorter group uses the
    // same code with the rest of the data zero.
    cauchy,
  };

  ReedSolomon(Matrix matrix, int k, int m);  // k >= 1, m >= 1, k + m <= 255
  int k() const { return k_; }
  int m() const { return m_; }

  // Computes all parity from all data. `data` has k pointers, nullptr for zeros; `parity` has m. `bytes` each.
  void encode(std::span<const std::byte* const> data, std::span<std::byte* const> parity, size_t bytes);

  // The same for one data symbol at a time, in any order: each call adds the contribution of data[index] to the parity,
  // which must be zeros at first. Symbols that are never added count as zeros. The parity symbols, all m or the first
  // few, must be at least as long as `symbol`.
  void add(int index, Bytes symbol, std::span<std::byte* const> parity);

  // Writes the missing data symbols if at least k of all symbols are present (otherwise returns false and changes
  // nothing). `symbols` has k+m pointers, data first. Present ones are read (nullptr for zeros), missing data symbols
  // are written, and missing parity symbols are ignored and may be nullptr.
  bool repair(std::span<std::byte* const> symbols, const Present& present, size_t bytes);

 private:
  // A symbol is the polynomial's value at x, scaled by a factor (given as its logarithm).
  struct Point {
    uint8_t x = 0;
    uint8_t log_scale = 0;
  };
  void interpolate(std::span<const Point> from, std::span<const Point> to, std::vector<uint8_t>& tables);
  void multiply(std::span<const std::byte* const> sources, std::span<std::byte* const> results, size_t bytes,
                std::vector<uint8_t>& tables);

  int k_, m_;
  std::vector<Point> points_;           // k + m
  std::vector<uint8_t> encode_tables_;  // galois.h: 32 bytes per factor, a row for each parity symbol
  std::vector<uint8_t> repair_tables_;
  std::vector<uint8_t> coefficients_;
};

}  // namespace texcast::transport
