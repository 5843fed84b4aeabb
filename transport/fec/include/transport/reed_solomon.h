// reed_solomon.h — Reed-Solomon over GF(2^8), polynomial 0x11D, systematic: k data symbols, m parity symbols of one
// length; any k of the k+m give the data back. ISA-L does the work.
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

// Not thread-safe; one a thread. After the first encode() or add() and the first repair() nothing is allocated.
class ReedSolomon {
 public:
  static constexpr int kMaxSymbols = 255;  // k + m
  using Present = std::bitset<kMaxSymbols>;

  enum class Matrix : uint8_t {
    // zfec's (UltraGrid): a polynomial of degree k-1 through the data at x = 0, 1, a, a^2 … (a = 2), parity being its
    // values at the points that follow. That is V * inverse(V[0..k-1]) of Rizzo's Vandermonde matrix V.
    zfec,
    // parity[j] = sum over i of data[i] / ((255 - j) xor i): no entry depends on k or m, so a shorter group is the same
    // code
    // with the rest of the data zero.
    cauchy,
  };

  ReedSolomon(Matrix matrix, int k, int m);  // k >= 1, m >= 1, k + m <= 255
  int k() const { return k_; }
  int m() const { return m_; }

  // All of the parity from all of the data. `data` has k pointers, nullptr standing for zeros; `parity` m. `bytes`
  // each.
  void encode(std::span<const std::byte* const> data, std::span<std::byte* const> parity, size_t bytes);

  // The same a data symbol at a time, in any order: every call adds what data[index] contributes to parity, which is
  // zeros at first. Symbols that are never added count as zeros. The parities, all m or the first few, must be at least
  // as long as `symbol`.
  void add(int index, Bytes symbol, std::span<std::byte* const> parity);

  // Writes the missing data symbols, where at least k of all are present (false otherwise, and nothing is touched).
  // `symbols` has k+m pointers: data first. Present ones are read (nullptr standing for zeros); missing data ones are
  // written, missing parity ones are not touched and may be nullptr.
  bool repair(std::span<std::byte* const> symbols, const Present& present, size_t bytes);

 private:
  // Points that a symbol is the polynomial's value at, and the factor (as a logarithm) it is scaled by.
  struct Point {
    uint8_t x = 0;
    uint8_t log_scale = 0;
  };
  void interpolate(std::span<const Point> from, std::span<const Point> to, std::vector<uint8_t>& tables);
  void multiply(std::span<const std::byte* const> sources, std::span<std::byte* const> results, size_t bytes,
                std::vector<uint8_t>& tables);

  int k_, m_;
  std::vector<Point> points_;           // k + m
  std::vector<uint8_t> encode_tables_;  // ISA-L's: 32 bytes an entry, a row a parity symbol
  std::vector<uint8_t> repair_tables_;
  std::vector<uint8_t> coefficients_;
};

}  // namespace texcast::transport
