#include "transport/cauchy_parity.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/ensure.h"
#include "galois.h"
#include "gfni_sums.h"

namespace texcast::transport {
namespace {

constexpr int kMostInGroup = 255;

uint8_t cauchy_factor(int data, int parity) { return galois::inverse(static_cast<uint8_t>((255 - parity) ^ data)); }

}  // namespace

CauchyParity::CauchyParity(int k, int m, Kernel kernel) : k_(k), m_(m) {
  ENSURE(k >= 1 && m >= 1 && k + m <= kMostInGroup);
  const auto data = static_cast<size_t>(k), parity = static_cast<size_t>(m);
  if (kernel == Kernel::fastest && gfni::available()) {
    const auto lanes = static_cast<size_t>(gfni::kLanes);
    matrices_.resize((parity + lanes - 1) / lanes * lanes * data);
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < k; ++i) {
        const auto block = static_cast<size_t>(j) / lanes;
        matrices_[(block * data + static_cast<size_t>(i)) * lanes + static_cast<size_t>(j) % lanes] =
            gfni::matrix_of(cauchy_factor(i, j));
      }
    return;
  }
  std::vector<uint8_t> factors(data * parity);
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < k; ++i) factors[static_cast<size_t>(j) * data + static_cast<size_t>(i)] = cauchy_factor(i, j);
  tables_.resize(factors.size() * galois::kTableBytes);
  galois::make_tables(k, m, factors.data(), tables_.data());
}

void CauchyParity::add(int first, int count, const DataSymbols& data, size_t bytes, const ParitySymbols& parity,
                       bool fresh) const {
  ENSURE(first >= 0 && count >= 0 && first + count <= k_ && bytes <= INT32_MAX);
  if (matrices_.empty()) return add_by_tables(first, count, data, bytes, parity, fresh);
  for (int j = 0; j < m_; j += gfni::kLanes) {
    const ParitySymbols some{parity.begin + static_cast<size_t>(j) * parity.stride, parity.stride};
    const size_t row = static_cast<size_t>(j / gfni::kLanes) * static_cast<size_t>(k_) + static_cast<size_t>(first);
    gfni::add(matrices_.data() + row * gfni::kLanes, count, data, std::min(m_ - j, gfni::kLanes), some, bytes, fresh);
  }
}

void CauchyParity::add_by_tables(int first, int count, const DataSymbols& data, size_t bytes,
                                 const ParitySymbols& parity, bool fresh) const {
  std::array<std::byte*, kMostInGroup> to{};
  for (int j = 0; j < m_; ++j) {
    std::byte* const symbol = parity.begin + static_cast<size_t>(j) * parity.stride;
    if (fresh) std::memset(symbol, 0, bytes);
    to[static_cast<size_t>(j)] = symbol;
  }
  if (bytes == 0) return;
  for (int i = 0; i < count; ++i)
    galois::add(static_cast<int>(bytes), k_, m_, first + i, tables_.data(),
                data.begin + static_cast<size_t>(i) * data.stride, to.data());
}

}  // namespace texcast::transport
