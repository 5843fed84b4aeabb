// cauchy_parity.h — the parity of ReedSolomon::Matrix::cauchy, made some data symbols at a time: what a sender needs,
// who has a frame's data piece by piece, and several threads for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texcast::transport {

// parity[j] = sum over i of data[i] / ((255 - j) xor i) in GF(2^8). Unchanging once made: threads may share it.
class CauchyParity {
 public:
  // What does the sums: GFNI's instructions (of AVX-512) where the processor has them, two to six times as fast as
  // ISA-L's tables, which work everywhere.
  enum class Kernel : uint8_t { fastest, tables };

  CauchyParity(int k, int m, Kernel kernel = Kernel::fastest);  // k >= 1, m >= 1, k + m <= 255
  int k() const { return k_; }
  int m() const { return m_; }

  // Equally long pieces of memory, each `stride` bytes behind the one before.
  struct DataSymbols {
    const std::byte* begin = nullptr;
    size_t stride = 0;
  };
  struct ParitySymbols {
    std::byte* begin = nullptr;
    size_t stride = 0;
  };
  // Adds to the m parity symbols what data symbols `first` to `first` + `count` - 1 contribute; `data` are these, of
  // `bytes` each, which may be fewer than parity has. With `fresh` parity is written anew, as if it had been zeros (its
  // first `bytes`). Symbols that are never added count as zeros.
  void add(int first, int count, const DataSymbols& data, size_t bytes, const ParitySymbols& parity, bool fresh) const;

 private:
  void add_by_tables(int first, int count, const DataSymbols& data, size_t bytes, const ParitySymbols& parity,
                     bool fresh) const;
  int k_, m_;
  std::vector<uint64_t> matrices_;  // GFNI's: bit matrices, kLanes parity symbols side by side for each data symbol
  std::vector<uint8_t> tables_;     // ISA-L's: 32 bytes an entry, a row a parity symbol
};

}  // namespace texcast::transport
