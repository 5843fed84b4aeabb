// Parity computed for some symbols at a time, by either kernel, compared with schoolbook arithmetic in GF(2^8).
#include "transport/cauchy_parity.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "capture_bound.h"
#include "support.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

unsigned schoolbook_product(unsigned a, unsigned b) {  // carry-less, modulo x^8 + x^4 + x^3 + x^2 + 1
  unsigned product = 0;
  for (; b != 0; b >>= 1, a = a << 1 ^ (a & 0x80 ? 0x11Du : 0u))
    if (b & 1) product ^= a;
  return product;
}

unsigned schoolbook_inverse(unsigned a) {
  for (unsigned b = 1; b < 256; ++b)
    if (schoolbook_product(a, b) == 1) return b;
  return 0;
}

}  // namespace

TEST_CASE("Cauchy parity in any steps and of any length matches the specification, and nothing else is written") {
  std::mt19937 random(11);
  for (const auto kernel : {CauchyParity::Kernel::tables, CauchyParity::Kernel::fastest})
    for (const auto& [k, m] : {std::pair{1, 1}, {5, 2}, {33, 7}, {40, 8}, {100, 19}, {229, 26}, {128, 127}})
      for (const size_t bytes : {size_t{16}, size_t{63}, size_t{64}, size_t{1424}}) {
        CAPTURE_BOUND(k);
        CAPTURE_BOUND(m);
        CAPTURE(bytes);
        const CauchyParity code(k, m, kernel);
        const size_t stride = bytes + 32;
        const auto data = random_bytes(static_cast<size_t>(k) * stride, static_cast<uint32_t>(random()));
        std::vector<std::byte> parity(static_cast<size_t>(m) * stride, std::byte{0xA5});
        for (int i = 0; i < k;) {
          const int count = std::min(k - i, 1 + static_cast<int>(random() % 40));
          code.add(i, count, {data.data() + static_cast<size_t>(i) * stride, stride}, bytes, {parity.data(), stride},
                   i == 0);
          i += count;
        }
        for (int j = 0; j < m; j += 1 + m / 5)
          for (size_t at = 0; at < stride; at += at + 1 < bytes ? std::min<size_t>(bytes - 1 - at, 61) : 1) {
            unsigned sum = 0xA5;
            if (at < bytes) {
              sum = 0;
              for (int i = 0; i < k; ++i)
                sum ^=
                    schoolbook_product(std::to_integer<unsigned>(data[static_cast<size_t>(i) * stride + at]),
                                       schoolbook_inverse(static_cast<unsigned>(255 - j) ^ static_cast<unsigned>(i)));
            }
            REQUIRE(std::to_integer<unsigned>(parity[static_cast<size_t>(j) * stride + at]) == sum);
          }
      }
}

TEST_CASE("Cauchy parity: a shorter symbol counts as if padded with zeros") {
  for (const auto kernel : {CauchyParity::Kernel::tables, CauchyParity::Kernel::fastest}) {
    const CauchyParity code(3, 9, kernel);
    const auto data = random_bytes(3 * 500, 3);
    auto padded = data;
    std::fill(padded.begin() + 1000 + 77, padded.end(), std::byte{0});
    std::vector<std::byte> in_parts(9 * 500), at_once(9 * 500);
    code.add(0, 2, {data.data(), 500}, 500, {in_parts.data(), 500}, true);
    code.add(2, 1, {data.data() + 1000, 500}, 77, {in_parts.data(), 500}, false);
    code.add(0, 3, {padded.data(), 500}, 500, {at_once.data(), 500}, true);
    CHECK(in_parts == at_once);
  }
}
