// ldgm.h — LDPC-Staircase in UltraGrid's variant (after RFC 5170): K data symbols, M parity symbols, each the XOR of
// some symbols. Costs a few XORs per symbol whatever the size, and needs a few per cent more than K symbols to recover.
// `Ldgm` is one code; `LdgmCache` keeps the last few.
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
  int c = 0;          // number of checks that include a data symbol, 1..63, at most m
  uint32_t seed = 1;  // of the matrix's random numbers, 1..2^31-2
  bool operator==(const LdgmShape&) const = default;
};

// Immutable except for repair()'s scratch memory: not thread-safe.
class Ldgm {
 public:
  // The most steps (draws and look-ups) for constructing a matrix; about a hundred million take a second. Sensible
  // shapes need two for every one in the matrix; the largest (8191 symbols in 63 of 63 rows each) stays below this.
  // Memory: at most 5 MiB.
  static constexpr int kMostSteps = 6'000'000;
  // Nothing if the shape is out of range, or if its matrix needs more than `steps`, from which the used steps are
  // subtracted.
  static std::unique_ptr<Ldgm> create(const LdgmShape& shape, int& steps);
  static std::unique_ptr<Ldgm> create(const LdgmShape& shape) {
    int steps = kMostSteps;
    return create(shape, steps);
  }
  const LdgmShape& shape() const { return shape_; }

  // `block` contains K data symbols of `symbol_bytes`, followed by room for M parity symbols, which are written.
  void encode(MutableBytes block, size_t symbol_bytes) const;

  // Recovers as much as possible, in place. `present` has K+M entries, 1 for symbols that are there, and is updated.
  // True when all data is there. Peels until nothing more is found. The rest is solved as linear equations if they are
  // few (512 symbols) and small (64 MiB of XOR); this work is limited on average, so that forged blocks cost little.
  bool repair(MutableBytes block, size_t symbol_bytes, std::span<uint8_t> present);

 private:
  struct Row {
    uint16_t missing = 0;  // symbols of it
    uint16_t sum = 0;      // XOR of their numbers: if one is missing, its number
  };
  struct Step {
    uint16_t symbol = 0;  // becomes the XOR of the other symbols of `row`
    uint16_t row = 0;
    bool wanted = false;
  };

  explicit Ldgm(const LdgmShape& shape) : shape_(shape) {}
  std::span<const uint16_t> symbols_of(int row) const;  // data symbols
  std::span<const uint16_t> rows_of(int symbol) const;
  // Calls `visit` with each check that includes the symbol.
  template <typename Visit>
  void for_each_row(int symbol, Visit visit) const {
    if (symbol < shape_.k) {
      for (const uint16_t row : rows_of(symbol)) visit(int{row});
      return;
    }
    visit(symbol - shape_.k);
    if (symbol - shape_.k + 1 < shape_.m) visit(symbol - shape_.k + 1);
  }
  // Calls `visit` with each symbol of the check.
  template <typename Visit>
  void for_each_symbol(int row, Visit visit) const {
    for (const uint16_t symbol : symbols_of(row)) visit(int{symbol});
    visit(shape_.k + row);
    if (row > 0) visit(shape_.k + row - 1);
  }
  int peel(std::span<const uint8_t> present);
  bool eliminate(size_t symbol_bytes);
  void apply_elimination(MutableBytes block, size_t symbol_bytes, std::span<uint8_t> present);

  LdgmShape shape_;
  // Data symbols of check r: row_symbols_[row_begin_[r] .. row_begin_[r+1]). Its parity symbols are r and r-1.
  std::vector<uint32_t> row_begin_;
  std::vector<uint16_t> row_symbols_;
  // Checks of data symbol s: column_rows_[column_begin_[s] .. column_begin_[s+1]).
  std::vector<uint32_t> column_begin_;
  std::vector<uint16_t> column_rows_;

  // Scratch memory of repair(), allocated once.
  std::vector<Row> rows_;
  std::vector<uint16_t> ready_;  // checks with exactly one missing symbol
  std::vector<Step> steps_;
  std::vector<uint8_t> known_, needed_;

  // Words of bits that eliminate() may still add; some 5 ms at most.
  static constexpr int kMostWork = 8'000'000;
  int work_ = kMostWork;
  // Scratch memory of eliminate(): equations (checks with more than one missing symbol) and unknowns, parity first.
  struct Addition {
    uint16_t to = 0, from = 0;  // equations
  };
  std::vector<uint16_t> equations_, unknowns_, column_of_;
  std::vector<uint64_t> bits_;       // a row of words per equation
  std::vector<Addition> additions_;  // in order
  std::vector<uint16_t> pivots_;     // for unknown data: the equation that yields it
  std::vector<uint16_t> order_;      // of the equations: pivots first
  std::vector<std::byte> right_side_;
};

// The codes used last, so that a stream's matrix is constructed once. A stream with another shape in every frame gets
// kStepsAFrame for each on average, which bounds the cost of forged frames.
class LdgmCache {
 public:
  // Valid until the next find(); nullptr if create() returns nothing.
  Ldgm* find(const LdgmShape& shape);

 private:
  static constexpr size_t kKept = 2;
  static constexpr int kStepsAFrame = 100'000;
  std::vector<std::unique_ptr<Ldgm>> codes_;  // newest first
  int steps_ = Ldgm::kMostSteps;
};

}  // namespace texcast::transport
