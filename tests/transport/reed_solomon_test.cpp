// Reed-Solomon compared with the definition (schoolbook arithmetic, Vandermonde matrix, its inverse by elimination) and
// with its guaranteed recovery.
#include "transport/reed_solomon.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "capture_bound.h"
#include "support.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

using ByteMatrix = std::vector<std::vector<unsigned>>;

unsigned product_of(unsigned a, unsigned b) {  // carry-less product modulo 0x11D
  unsigned product = 0;
  for (; b != 0; b >>= 1, a = a << 1 ^ (a & 0x80 ? 0x11Du : 0u))
    if (b & 1) product ^= a;
  return product;
}

unsigned power_of(unsigned base, unsigned exponent) {
  unsigned result = 1;
  for (unsigned i = 0; i < exponent; ++i) result = product_of(result, base);
  return result;
}

unsigned one_over(unsigned a) { return power_of(a, 254); }

// The first `rows` rows of V: (1, 0, 0 …), then row r = 2^((r-1)*c).
ByteMatrix vandermonde(size_t rows, size_t k) {
  ByteMatrix v(rows, std::vector<unsigned>(k));
  v[0][0] = 1;
  for (size_t r = 1; r < rows; ++r)
    for (size_t c = 0; c < k; ++c) v[r][c] = power_of(2, static_cast<unsigned>((r - 1) * c % 255));
  return v;
}

ByteMatrix inverse_of(ByteMatrix a) {
  const size_t n = a.size();
  ByteMatrix b(n, std::vector<unsigned>(n));
  for (size_t i = 0; i < n; ++i) b[i][i] = 1;
  for (size_t i = 0; i < n; ++i) {
    size_t pivot = i;
    while (a[pivot][i] == 0) ++pivot;
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    const unsigned scale = one_over(a[i][i]);
    for (size_t c = 0; c < n; ++c) {
      a[i][c] = product_of(a[i][c], scale);
      b[i][c] = product_of(b[i][c], scale);
    }
    for (size_t r = 0; r < n; ++r) {
      const unsigned factor = a[r][i];
      if (r == i || factor == 0) continue;
      for (size_t c = 0; c < n; ++c) {
        a[r][c] ^= product_of(factor, a[i][c]);
        b[r][c] ^= product_of(factor, b[i][c]);
      }
    }
  }
  return b;
}

// Symbols of a code in memory of their own: random data and its parity.
struct Codeword {
  Codeword(ReedSolomon::Matrix matrix, int k, int m, size_t symbol_bytes, uint32_t seed)
      : code(matrix, k, m), bytes(symbol_bytes), memory(random_bytes(static_cast<size_t>(k + m) * symbol_bytes, seed)) {
    for (size_t i = 0; i < static_cast<size_t>(k + m); ++i) all.push_back(memory.data() + i * bytes);
    data.assign(all.begin(), all.begin() + k);
    parity.assign(all.begin() + k, all.end());
    code.encode(data, parity, bytes);
    sent = memory;
  }
  Bytes symbol(size_t i) const { return Bytes(memory).subspan(i * bytes, bytes); }

  ReedSolomon code;
  size_t bytes;
  std::vector<std::byte> memory, sent;
  std::vector<std::byte*> all;
  std::vector<const std::byte*> data;
  std::vector<std::byte*> parity;
};

// The parity of data symbol i = 1 and all others 0: column i of the code's matrix.
ByteMatrix matrix_of(ReedSolomon::Matrix matrix, int k, int m) {
  ReedSolomon code(matrix, k, m);
  ByteMatrix result(static_cast<size_t>(m), std::vector<unsigned>(static_cast<size_t>(k)));
  const std::byte one{1};
  for (size_t i = 0; i < static_cast<size_t>(k); ++i) {
    std::vector<const std::byte*> data(static_cast<size_t>(k), nullptr);
    data[i] = &one;
    std::vector<std::byte> out(static_cast<size_t>(m));
    std::vector<std::byte*> parity;
    for (std::byte& b : out) parity.push_back(&b);
    code.encode(data, parity, 1);
    for (size_t j = 0; j < out.size(); ++j) result[j][i] = std::to_integer<unsigned>(out[j]);
  }
  return result;
}

}  // namespace

TEST_CASE("Reed-Solomon: zfec's matrix is V times the inverse of its top") {
  for (const auto& [k, m] : {std::pair{1, 1}, {1, 254}, {3, 5}, {40, 8}, {90, 3}}) {
    CAPTURE_BOUND(k);
    CAPTURE_BOUND(m);
    const auto size = static_cast<size_t>(k);
    const ByteMatrix v = vandermonde(size + static_cast<size_t>(m), size);
    const ByteMatrix top = inverse_of({v.begin(), v.begin() + k});
    const ByteMatrix got = matrix_of(ReedSolomon::Matrix::zfec, k, m);
    bool equal = true;
    for (size_t j = 0; j < static_cast<size_t>(m); ++j)
      for (size_t i = 0; i < size; ++i) {
        unsigned want = 0;
        for (size_t c = 0; c < size; ++c) want ^= product_of(v[size + j][c], top[c][i]);
        equal = equal && got[j][i] == want;
      }
    CHECK(equal);
  }
}

TEST_CASE("Reed-Solomon: Cauchy's matrix is 1 / ((255 - j) xor i), whatever k and m") {
  for (const auto& [k, m] : {std::pair{1, 1}, {1, 254}, {100, 10}, {200, 55}, {254, 1}}) {
    const ByteMatrix got = matrix_of(ReedSolomon::Matrix::cauchy, k, m);
    bool equal = true;
    for (unsigned j = 0; j < static_cast<unsigned>(m); ++j)
      for (unsigned i = 0; i < static_cast<unsigned>(k); ++i)
        equal = equal && product_of(got[j][i], (255 - j) ^ i) == 1;
    CHECK(equal);
  }
}

TEST_CASE("Reed-Solomon: any k of n suffice, k-1 do not") {
  std::mt19937 random(5);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (int round = 0; round < 60; ++round) {
    const auto matrix = round % 2 ? ReedSolomon::Matrix::zfec : ReedSolomon::Matrix::cauchy;
    const int n = round < 4 ? 255 : 2 + below(60), k = 1 + below(n - 1), m = n - k;
    const size_t bytes = round < 4 ? 100 : 1 + static_cast<size_t>(below(3000));
    CAPTURE(k);
    CAPTURE(m);
    CAPTURE(bytes);
    Codeword word(matrix, k, m, bytes, static_cast<uint32_t>(round));
    std::vector<size_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::shuffle(order, random);
    ReedSolomon::Present present;
    for (size_t i = 0; i < order.size(); ++i) {
      present[order[i]] = i < static_cast<size_t>(k);
      if (!present[order[i]]) std::ranges::fill(std::span(word.all[order[i]], bytes), std::byte{0xAA});
    }
    const std::vector<std::byte> before = word.memory;
    ReedSolomon::Present fewer = present;
    fewer[order[0]] = false;
    CHECK_FALSE(word.code.repair(word.all, fewer, bytes));
    CHECK(word.memory == before);
    CHECK(word.code.repair(word.all, present, bytes));
    const size_t data_bytes = static_cast<size_t>(k) * bytes;
    CHECK(same(Bytes(word.memory).first(data_bytes), Bytes(word.sent).first(data_bytes)));
  }
}

TEST_CASE("Reed-Solomon: symbol by symbol, in any order, with shorter and absent ones") {
  constexpr int kData = 20, kParity = 7;
  constexpr size_t kBytes = 2500;
  Codeword word(ReedSolomon::Matrix::cauchy, kData, kParity, kBytes, 1);
  std::vector<std::byte> sums(kParity * kBytes);
  std::vector<std::byte*> parity;
  for (size_t j = 0; j < kParity; ++j) parity.push_back(sums.data() + j * kBytes);
  for (const size_t i : {19, 3, 0, 1, 2, 18, 17, 16, 4, 5, 6, 15, 14, 7, 8, 9, 10, 11, 12, 13})
    word.code.add(static_cast<int>(i), word.symbol(i), parity);
  CHECK(same(sums, Bytes(word.memory).subspan(kData * kBytes)));

  // Symbol 5 ends after 100 bytes, symbol 6 is absent: both count as padded with zeros.
  std::ranges::fill(std::span(word.all[5] + 100, kBytes - 100), std::byte{0});
  word.data[6] = nullptr;
  word.code.encode(word.data, word.parity, kBytes);
  std::ranges::fill(sums, std::byte{0});
  for (size_t i = 0; i < kData; ++i)
    if (i != 6) word.code.add(static_cast<int>(i), word.symbol(i).first(i == 5 ? 100 : kBytes), parity);
  CHECK(same(sums, Bytes(word.memory).subspan(kData * kBytes)));

  // Recovered with the absent one as present zeros.
  ReedSolomon::Present present;
  for (size_t i = 0; i < word.all.size(); ++i) present[i] = i > 4 && i < 25;
  const std::vector<std::byte> want(word.memory.begin(), word.memory.begin() + 6 * kBytes);
  std::ranges::fill(std::span(word.all[0], 5 * kBytes), std::byte{1});
  word.all[6] = nullptr;
  CHECK(word.code.repair(word.all, present, kBytes));
  CHECK(same(Bytes(word.memory).first(6 * kBytes), want));
}

TEST_CASE("Reed-Solomon: nothing is allocated after the first recovery, whatever is missing") {
  Codeword word(ReedSolomon::Matrix::zfec, 50, 10, 300, 3);
  ReedSolomon::Present present;
  present.set();
  present[7] = false;
  CHECK(word.code.repair(word.all, present, 300));
  const uint64_t before = allocations();
  word.code.encode(word.data, word.parity, 300);
  for (size_t i = 0; i < 10; ++i) {
    present[i * 3] = false;
    (void)word.code.repair(word.all, present, 300);
  }
  CHECK(allocations() == before);
}
