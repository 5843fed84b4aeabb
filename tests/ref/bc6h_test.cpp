// BC6H reference: blocks worked by hand from the specification, every mode, and more effort is never worse.
#include "ref/bc6h.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>

#include "texcast/image.h"

using namespace texcast;
using namespace texcast::ref;

namespace {

// Writes bits from the lowest of the first byte on.
class Bits {
 public:
  Bits& put(uint64_t value, int count) {
    for (int i = 0; i < count; ++i, ++at_) block_[at_ / 8] |= static_cast<uint8_t>((value >> i & 1) << (at_ % 8));
    return *this;
  }
  const Bc6hBlock& block() const { return block_; }

 private:
  Bc6hBlock block_{};
  size_t at_ = 0;
};

double error_of(const HalfBlock& texels, const Bc6hBlock& block, bool is_signed) {
  const HalfBlock decoded = decode_bc6h(block, is_signed);
  double sum = 0;
  for (size_t i = 0; i < 16; ++i)
    for (size_t c = 0; c < 3; ++c) sum += std::pow(decoded[i][c] - texels[i][c], 2);
  return sum;
}

int mode_of(const Bc6hBlock& block) { return (block[0] & 2) == 0 ? block[0] & 3 : block[0] & 31; }

// Texels on one or two lines, `spread` values long, with a little noise.
HalfBlock line_block(std::mt19937& random, int spread, bool two_lines, int least) {
  std::uniform_int_distribution<int> any(least, 0x7BFF), by(-spread, spread), noise(-spread / 16 - 1, spread / 16 + 1);
  HalfBlock block{};
  std::array<std::array<std::array<int, 3>, 2>, 2> ends{};
  for (auto& line : ends)
    for (size_t c = 0; c < 3; ++c) {
      line[0][c] = &line == &ends[0] ? any(random) : ends[0][0][c] + by(random);
      line[1][c] = line[0][c] + by(random);
    }
  for (size_t i = 0; i < 16; ++i) {
    const auto& line = ends[two_lines && i % 4 >= 2 ? 1 : 0];
    const int place = static_cast<int>(random() % 16);
    for (size_t c = 0; c < 3; ++c)
      block[i][c] = std::clamp(line[0][c] + (line[1][c] - line[0][c]) * place / 15 + noise(random), least, 0x7BFF);
  }
  return block;
}

}  // namespace

TEST_CASE("one region of mode 11, worked by hand") {
  Bits bits;
  bits.put(3, 5).put(512, 10).put(0, 10).put(1023, 10).put(513, 10).put(0, 10).put(0, 10);
  bits.put(0, 3).put(15, 4).put(7, 4);
  const HalfBlock texels = decode_bc6h(bits.block(), false);
  // 512 of 10 bits is 32800 of 16, and 31/64 of that is 15887; 1023 is 65535: 31743. Halfway, 30/64: 512 + 30/64.
  CHECK(texels[0] == std::array{15887, 0, 31743});
  CHECK(texels[1] == std::array{15918, 0, 0});
  CHECK(texels[2] == std::array{(32800 + 30) * 31 / 64, 0, (34 * 65535 + 32) / 64 * 31 / 64});
}

TEST_CASE("differences wrap around in the end point's bits, and signs are extended") {
  Bits bits;  // mode 12: 11 bits, differences of 9
  bits.put(7, 5).put(1, 10).put(0, 10).put(5, 10).put(0x1FE, 9).put(0, 1).put(0, 9).put(0, 1).put(3, 9).put(0, 1);
  const HalfBlock first = decode_bc6h(bits.block(), false);
  CHECK(first[0] == std::array{48 * 31 / 64, 0, (5 * 32 + 16) * 31 / 64});
  Bits last = bits;
  last.put(0, 3).put(15, 4);
  CHECK(decode_bc6h(last.block(), false)[1] == std::array{31743, 0, (8 * 32 + 16) * 31 / 64});  // 1 - 2 is 2047
  CHECK(decode_bc6h(last.block(), true)[1] == std::array{-(48 * 31 / 32), 0, (8 * 32 + 16) * 2 / 2 * 31 / 32});
}

TEST_CASE("reserved modes are black") {
  for (const int mode : {19, 23, 27, 31}) {
    Bc6hBlock block{};
    block.fill(0xFF);
    block[0] = static_cast<uint8_t>(mode | 0xE0);
    CHECK(decode_bc6h(block, false) == HalfBlock{});
    CHECK(decode_bc6h(block, true) == HalfBlock{});
  }
}

TEST_CASE("flat blocks are exact to a step, whatever the value") {
  for (int value = 0; value <= 0x7BFF; value += 97) {
    HalfBlock texels{};
    texels.fill({value, 0x7BFF - value, value / 2});
    for (const bool is_signed : {false, true}) {
      const HalfBlock decoded = decode_bc6h(encode_bc6h(texels, is_signed, Method::refine_once), is_signed);
      for (size_t c = 0; c < 3; ++c) REQUIRE(std::abs(decoded[5][c] - texels[5][c]) <= 1);
    }
  }
}

TEST_CASE("every mode is used, and more effort is never worse") {
  constexpr std::array kMethods = {Method::refine_once, Method::refine, Method::cluster, Method::cluster_search};
  for (const bool is_signed : {false, true}) {
    std::mt19937 random(is_signed ? 5 : 4);
    std::set<int> modes;
    std::array<double, 4> sums{};
    for (int round = 0; round < 360; ++round) {
      const HalfBlock texels = line_block(random, 1 << round % 15, round % 2 != 0, is_signed ? -0x7BFF : 0);
      double last = INFINITY;
      for (size_t m = 0; m < 4; ++m) {
        const Bc6hBlock block = encode_bc6h(texels, is_signed, kMethods[m]);
        modes.insert(mode_of(block));
        const double error = error_of(texels, block, is_signed);
        REQUIRE(error <= last * (1 + 1e-5));
        sums[m] += last = error;
      }
    }
    CAPTURE(is_signed);
    CHECK(modes.size() == 14);
    CHECK(sums[1] < 0.999 * sums[0]);  // one more fit
    CHECK(sums[2] < 0.995 * sums[1]);  // two regions
    CHECK(sums[3] < 0.995 * sums[2]);
  }
}

TEST_CASE("values out of range are clamped, also those below 0 in unsigned blocks") {
  HalfBlock texels{};
  texels.fill({-200, 40000, 300});
  const HalfBlock decoded = decode_bc6h(encode_bc6h(texels, false, Method::refine), false);
  CHECK(decoded[3][0] == 0);
  CHECK(decoded[3][1] >= 0x7BFE);
  CHECK(std::abs(decode_bc6h(encode_bc6h(texels, true, Method::refine), true)[3][0] + 200) <= 1);
}

TEST_CASE("every half float is the nearest to itself, and ties are rounded to even") {
  for (int bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7FFF) > 0x7C00) continue;
    const double value = half_to_double(static_cast<uint16_t>(bits));
    REQUIRE(half_from_double(value) == bits);
    if ((bits & 0x7FFF) >= 0x7BFF) continue;
    const double next = half_to_double(static_cast<uint16_t>(bits + 1));
    REQUIRE(half_from_double((value + next) / 2) == bits + (bits & 1));
  }
  CHECK(half_from_double(65519.9) == 0x7BFF);
  CHECK(half_from_double(65520) == 0x7C00);
}
