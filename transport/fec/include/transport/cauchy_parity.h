// cauchy_parity.h — the parity of ReedSolomon::Matrix::cauchy, computed some data symbols at a time, for senders that
// get a frame's data piece by piece and use several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texcast::transport {

// parity[j] = sum over i of data[i] / ((255 - j) xor i) in GF(2^8). Immutable after construction: threads may share it.
class CauchyParity {
 public:
  // Implementation of the sums: GFNI instructions (of AVX-512) if the processor has them, two to six times as fast as
  // Tables of products (galois.h), which work everywhere.
  enum class Kernel : uint8_t { fastest, tables };

  CauchyParity(int k, int m, Kernel kernel = Kernel::fastest);  // k >= 1, m >= 1, k + m <= 255
  int k() const { return k_; }
  int m() const { return m_; }

  // Symbols of equal length, each `stride` bytes after the previous one.
  struct DataSymbols {
    const std::byte* begin = nullptr;
    size_t stride = 0;
  };
  struct ParitySymbols {
    std::byte* begin = nullptr;
    size_t stride = 0;
  };
  // Adds the contribution of data symbols `first` to `first` + `count` - 1 to the m parity symbols. `data` are these
  // symbols, of `bytes` each, which may be shorter than the parity. With `fresh` the first `bytes` of the parity are
  // overwritten, as if they had been zeros. Symbols that are never added count as zeros.
  void add(int first, int count, const DataSymbols& data, size_t bytes, const ParitySymbols& parity, bool fresh) const;

 private:
  void add_by_tables(int first, int count, const DataSymbols& data, size_t bytes, const ParitySymbols& parity,
                     bool fresh) const;
  int k_, m_;
  std::vector<uint64_t> matrices_;  // GFNI: bit matrices, kLanes parity symbols side by side for each data symbol
  std::vector<uint8_t> tables_;     // galois.h: 32 bytes per factor, a row for each parity symbol
};

}  // namespace texcast::transport
