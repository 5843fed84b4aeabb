// ldgm.h — LDPC-Staircase as UltraGrid has it (after RFC 5170): K data symbols, M parity symbols, each the XOR of some.
// Costs a few XORs a symbol whatever the size, needs a few per cent more than K symbols to repair. `Ldgm` is one code;
// `LdgmCache` keeps the last few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace texcast::transport {

struct LdgmShape {
  int k = 0;          // data symbols, 2..8191
  int m = 0;          // parity symbols, 1..8191
  int c = 0;          // checks that a data symbol takes part in, 1..63, at most m
  uint32_t seed = 1;  // of the matrix's random numbers, 1..2^31-2
  bool operator==(const LdgmShape&) const = default;
};

// Immutable but for the scratch memory of repair(): not thread-safe.
class Ldgm {
 public:
  // Nothing where the shape is out of range or (hostile ones) its matrix takes too long to find: about 10 ms and 5 MiB
  // are the most that any shape costs.
  static std::unique_ptr<Ldgm> create(const LdgmShape& shape);
  const LdgmShape& shape() const { return shape_; }

  // `block` holds K data symbols of `symbol_bytes`, then room for M parity symbols, which are written.
  void encode(MutableBytes block, size_t symbol_bytes) const;

  // Repairs what can be, in place. `present` has K+M entries, 1 for symbols that are there; those repaired become 1.
  // True when all of the data is there. Peels until nothing more is found, then solves what is left as linear equations
  // where they are few.
  bool repair(MutableBytes block, size_t symbol_bytes, std::span<uint8_t> present);

 private:
  explicit Ldgm(const LdgmShape& shape) : shape_(shape) {}

  LdgmShape shape_;
  // Data symbols of check r: row_symbols_[row_begin_[r] .. row_begin_[r+1]). Its parity symbols are r and r-1.
  std::vector<uint32_t> row_begin_;
  std::vector<uint16_t> row_symbols_;
  // Checks of data symbol s: column_rows_[column_begin_[s] .. column_begin_[s+1]).
  std::vector<uint32_t> column_begin_;
  std::vector<uint16_t> column_rows_;
};

// The codes used last, so that a stream's matrix is made once.
class LdgmCache {
 public:
  Ldgm* find(const LdgmShape& shape);  // valid until the next find(); nullptr where create() gives nothing

 private:
  static constexpr size_t kKept = 2;
  std::vector<std::unique_ptr<Ldgm>> codes_;  // the newest first
};

}  // namespace texcast::transport
