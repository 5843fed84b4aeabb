#include "transport/reed_solomon.h"

#include <algorithm>
#include <array>

#include "base/ensure.h"
#include "galois.h"

namespace texcast::transport {
namespace {

using galois::kTableBytes;
// Symbols are multiplied in pieces of this length, so that the pieces of all sources stay in the second-level cache
// while they are read once for every four to six results.
constexpr size_t kPieceBytes = 1024;
constexpr std::array<std::byte, kPieceBytes> kZeros{};

// GF(2^8), x^8 + x^4 + x^3 + x^2 + 1 (0x11D); the generator 2 has order 255.
struct Field {
  std::array<uint8_t, 256> log{};  // log of 0 is never used
  std::array<uint8_t, 255> exp{};
  constexpr Field() {
    unsigned value = 1;
    for (unsigned i = 0; i < 255; ++i) {
      exp[i] = static_cast<uint8_t>(value);
      log[value] = static_cast<uint8_t>(i);
      value = value << 1 ^ (value & 0x80 ? 0x11Du : 0u);
    }
  }
  constexpr unsigned log_difference(uint8_t a, uint8_t b) const { return log[a ^ b]; }
};
constexpr Field kField;

}  // namespace

ReedSolomon::ReedSolomon(Matrix matrix, int k, int m) : k_(k), m_(m) {
  ENSURE(k >= 1 && m >= 1 && k + m <= kMaxSymbols);
  points_.resize(static_cast<size_t>(k + m));
  for (int i = 0; i < k + m; ++i) {
    Point& point = points_[static_cast<size_t>(i)];
    if (matrix == Matrix::zfec)
      point.x = i == 0 ? 0 : kField.exp[static_cast<size_t>(i - 1)];
    else
      point.x = static_cast<uint8_t>(i < k ? i : 255 - (i - k));
  }
  if (matrix == Matrix::zfec) return;
  // Cauchy's matrix is that of polynomials whose values are scaled by the inverse product of the point's distances to
  // all (other) data points.
  for (Point& point : points_) {
    unsigned log_product = 0;
    for (int i = 0; i < k; ++i) {
      const uint8_t other = points_[static_cast<size_t>(i)].x;
      if (other != point.x) log_product += kField.log_difference(point.x, other);
    }
    point.log_scale = static_cast<uint8_t>((255 - log_product % 255) % 255);
  }
}

// Lagrange interpolation: the value at t of the polynomial through the points p of `from` is the sum of value(p) *
// prod(t - q) / ((t - p) * prod(p - q)), over all points q of `from` except p. Quadratic in k, whereas inverting a
// matrix is cubic.
void ReedSolomon::interpolate(std::span<const Point> from, std::span<const Point> to, std::vector<uint8_t>& tables) {
  const size_t k = from.size();
  std::array<unsigned, kMaxSymbols> log_weight{};
  for (size_t p = 0; p < k; ++p) {
    unsigned sum = from[p].log_scale;
    for (size_t q = 0; q < k; ++q)
      if (q != p) sum += kField.log_difference(from[p].x, from[q].x);
    log_weight[p] = sum;
  }
  coefficients_.resize(to.size() * k);
  for (size_t t = 0; t < to.size(); ++t) {
    unsigned log_all = to[t].log_scale;
    for (size_t q = 0; q < k; ++q) log_all += kField.log_difference(to[t].x, from[q].x);
    for (size_t p = 0; p < k; ++p) {
      const unsigned divisor = log_weight[p] + kField.log_difference(to[t].x, from[p].x);
      coefficients_[t * k + p] = kField.exp[(log_all + 255 - divisor % 255) % 255];
    }
  }
  tables.resize(std::max(tables.size(), to.size() * k * kTableBytes));
  galois::make_tables(static_cast<int>(k), static_cast<int>(to.size()), coefficients_.data(), tables.data());
}

void ReedSolomon::multiply(std::span<const std::byte* const> sources, std::span<std::byte* const> results, size_t bytes,
                           std::vector<uint8_t>& tables) {
  std::array<const std::byte*, kMaxSymbols> from{};
  std::array<std::byte*, kMaxSymbols> to{};
  for (size_t at = 0; at < bytes; at += kPieceBytes) {
    for (size_t i = 0; i < sources.size(); ++i) from[i] = sources[i] ? sources[i] + at : kZeros.data();
    for (size_t i = 0; i < results.size(); ++i) to[i] = results[i] + at;
    galois::multiply(static_cast<int>(std::min(kPieceBytes, bytes - at)), static_cast<int>(sources.size()),
                     static_cast<int>(results.size()), tables.data(), from.data(), to.data());
  }
}

void ReedSolomon::encode(std::span<const std::byte* const> data, std::span<std::byte* const> parity, size_t bytes) {
  ENSURE(data.size() == static_cast<size_t>(k_) && parity.size() == static_cast<size_t>(m_));
  const std::span<const Point> points(points_);
  if (encode_tables_.empty()) interpolate(points.first(data.size()), points.subspan(data.size()), encode_tables_);
  multiply(data, parity, bytes, encode_tables_);
}

void ReedSolomon::add(int index, Bytes symbol, std::span<std::byte* const> parity) {
  ENSURE(index >= 0 && index < k_ && parity.size() <= static_cast<size_t>(m_) && symbol.size() <= INT32_MAX);
  const std::span<const Point> points(points_);
  const auto k = static_cast<size_t>(k_);
  if (encode_tables_.empty()) interpolate(points.first(k), points.subspan(k), encode_tables_);
  if (symbol.empty() || parity.empty()) return;
  galois::add(static_cast<int>(symbol.size()), k_, static_cast<int>(parity.size()), index, encode_tables_.data(),
              symbol.data(), parity.data());
}

bool ReedSolomon::repair(std::span<std::byte* const> symbols, const Present& present, size_t bytes) {
  ENSURE(symbols.size() == points_.size());
  const auto k = static_cast<size_t>(k_);
  std::array<Point, kMaxSymbols> from{}, to{};
  std::array<const std::byte*, kMaxSymbols> sources{};
  std::array<std::byte*, kMaxSymbols> results{};
  size_t found = 0, missing = 0;
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (present[i]) {
      if (found == k) break;  // data comes first; no more parity is needed than data is missing
      from[found] = points_[i];
      sources[found++] = symbols[i];
    } else if (i < k) {
      to[missing] = points_[i];
      results[missing++] = symbols[i];
    }
  }
  if (found < k) return false;
  if (missing == 0) return true;
  // Allocated for the worst case, so never again.
  const size_t most = std::min(k, static_cast<size_t>(m_)) * k;
  repair_tables_.resize(most * kTableBytes);
  coefficients_.reserve(std::max(most, static_cast<size_t>(m_) * k));
  interpolate(std::span(from).first(k), std::span(to).first(missing), repair_tables_);
  multiply(std::span(sources).first(k), std::span(results).first(missing), bytes, repair_tables_);
  return true;
}

}  // namespace texcast::transport
