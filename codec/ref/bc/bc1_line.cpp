#include "bc1_line.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "ref/bc1_fit.h"
#include "ref/reciprocal.h"

namespace texcast::ref {
namespace {

constexpr std::array kLargestCode = {31.0f, 63.0f, 31.0f};
constexpr float kFirstInset = 0.18f;
constexpr float kThirdsCut = 0.2f;  // how far the palette's inner colours are below the exact thirds, on average

// The upper `bits` bits of a number's 24-bit significand, so that the product with a place along an axis (17 bits) or
// between end points (18 bits) is exact, and kernels may fuse it with an addition or not.
template <int bits>
float rounded_bits(float value) {
  constexpr uint32_t step = 1u << (24 - bits);
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + step / 2) & ~(step - 1));
}

// 2^-e for a positive value of exponent e: exact, without rounding.
float power_of_two_under(float value) {
  return std::bit_cast<float>((254u << 23) - (std::bit_cast<uint32_t>(value) & 0x7F800000u));
}

float dot(const Float3& a, const Float3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

float dot(const Float16& a, const Float16& b) {
  float sum = 0;
  for (size_t i = 0; i < 16; ++i) sum += a[i] * b[i];
  return sum;
}

float total(const Float16& v) {
  float sum = 0;
  for (const float x : v) sum += x;
  return sum;
}

float largest_component(const Float3& v) { return std::max(std::max(std::abs(v[0]), std::abs(v[1])), std::abs(v[2])); }

float expand_code(float code, size_t c) {
  const int low = static_cast<int>(code) >> (c == 1 ? 4 : 2);
  return (c == 1 ? 4 : 8) * code + static_cast<float>(low);
}

float to_code(float unit, size_t c) { return whole(std::clamp(unit, 0.0f, 1.0f) * kLargestCode[c]); }

}  // namespace

LineBlock line_block(const RgbBlock& texels) {
  LineBlock block;
  for (size_t i = 0; i < 16; ++i) {
    block.value[0][i] = static_cast<float>(texels.r[i]);
    block.value[1][i] = static_cast<float>(texels.g[i]);
    block.value[2][i] = static_cast<float>(texels.b[i]);
  }
  for (size_t c = 0; c < 3; ++c) block.sum[c] = total(block.value[c]);
  return block;
}

Float3 unit_axis(const Float3& v) {
  const float scale = power_of_two_under(std::max(largest_component(v), 1.0f)) * kSlope;
  return {whole(v[0] * scale), whole(v[1] * scale), whole(v[2] * scale)};
}

Float3 line_axis(const LineBlock& block) {
  const auto covariance = [&](size_t x, size_t y) {
    return 16 * dot(block.value[x], block.value[y]) - block.sum[x] * block.sum[y];
  };
  const float crr = covariance(0, 0), crg = covariance(0, 1), crb = covariance(0, 2);
  const float cgg = covariance(1, 1), cgb = covariance(1, 2), cbb = covariance(2, 2);
  // Start with the row of the largest variance, which cannot be orthogonal to the axis.
  Float3 v = {crg, cgg, cgb};
  if (crr > cgg && crr >= cbb) v = {crr, crg, crb};
  if (cbb > cgg && cbb > crr) v = {crb, cgb, cbb};
  for (int step = 0; step < 2; ++step) {
    const float scale = power_of_two_under(std::max(largest_component(v), 1.0f));
    for (float& x : v) x *= scale;
    v = {(crr * v[0] + crg * v[1]) + crb * v[2], (crg * v[0] + cgg * v[1]) + cgb * v[2],
         (crb * v[0] + cgb * v[1]) + cbb * v[2]};
  }
  return unit_axis(v);
}

Float3 leaning_axis(const LineBlock& block) {
  Float16 lean{};
  for (size_t i = 0; i < 16; ++i) lean[i] = 2 * block.value[0][i] + 4 * block.value[1][i] + block.value[2][i];
  const float sum = 2 * block.sum[0] + 4 * block.sum[1] + block.sum[2];
  Float3 v{};
  for (size_t c = 0; c < 3; ++c) v[c] = 16 * dot(lean, block.value[c]) - sum * block.sum[c];
  return unit_axis(v);
}

Float16 along(const LineBlock& block, const Float3& axis) {
  Float16 at{};
  for (size_t i = 0; i < 16; ++i)
    at[i] = block.value[0][i] * axis[0] + block.value[1][i] * axis[1] + block.value[2][i] * axis[2];
  return at;
}

LineSums line_sums(const LineBlock& block, const Float16& weights) {
  return {total(weights),
          dot(weights, weights),
          {dot(weights, block.value[0]), dot(weights, block.value[1]), dot(weights, block.value[2])}};
}

Float3 to_codes(const Float3& unit) {
  Float3 codes{};
  for (size_t c = 0; c < 3; ++c) codes[c] = to_code(unit[c], c);
  return codes;
}

LineEnds line_ends(const Float3& code_a, const Float3& code_b) {
  LineEnds ends{code_a, code_b, {}, {}};
  for (size_t c = 0; c < 3; ++c) {
    ends.a[c] = expand_code(code_a[c], c);
    ends.b[c] = expand_code(code_b[c], c);
  }
  return ends;
}

namespace {

// End points that minimise the squared error, in 0..1 and beyond.
struct Unrounded {
  Float3 a{}, b{};
};

Unrounded unrounded_fit(const Float3& sum, const LineSums& sums) {
  const float inverse = reciprocal(std::max(sums.determinant(), 1.0f));
  Unrounded fit;
  for (size_t c = 0; c < 3; ++c) {
    const float step = ((16 * sums.wv[c] - sums.w * sum[c]) * inverse) * (1.0f / 255);  // a third of the line
    fit.b[c] = sum[c] * (1.0f / 4080) - (sums.w / 16) * step;
    fit.a[c] = fit.b[c] + 3 * step;
  }
  return fit;
}

}  // namespace

LineEnds line_fit(const Float3& sum, const LineSums& sums) {
  const Unrounded fit = unrounded_fit(sum, sums);
  return line_ends(to_codes(fit.a), to_codes(fit.b));
}

LineEnds line_fit_closely(const Float3& sum, const LineSums& sums) {
  // 9 times the squared error is aa x^2 + 2 ab x y + bb y^2 - 2 va x - 2 vb y for end points x and y, plus terms that
  // do not depend on them.
  const float aa = sums.ww, ab = 3 * sums.w - sums.ww, bb = 144 - 6 * sums.w + sums.ww;
  const float inverse = reciprocal(std::max(bb, 1.0f)) * (1.0f / 255);
  const Unrounded fit = unrounded_fit(sum, sums);
  Float3 code_a{}, code_b{};
  for (size_t c = 0; c < 3; ++c) {
    const float vb = 9 * sum[c] - 3 * sums.wv[c];
    const float place = std::clamp(fit.a[c], 0.0f, 1.0f) * kLargestCode[c];
    const float down = std::min(whole(place - 0.5f), kLargestCode[c] - 1);
    float least = 0;
    for (const float code : {down, down + 1}) {
      const float x = expand_code(code, c);
      const float answer = to_code(((vb - ab * x) * inverse), c), y = expand_code(answer, c);
      const float error = x * (aa * x + (2 * ab * y - 6 * sums.wv[c])) + y * (bb * y - 2 * vb);
      if (code != down && error >= least) continue;
      least = error;
      code_a[c] = code;
      code_b[c] = answer;
    }
  }
  return line_ends(code_a, code_b);
}

Float16 line_weights(const LineBlock& block, const LineEnds& ends) {
  const Float3 line = {ends.a[0] - ends.b[0], ends.a[1] - ends.b[1], ends.a[2] - ends.b[2]};
  const float scale = rounded_bits<6>(reciprocal(std::max(dot(line, line), 1.0f)));
  const float start = dot(ends.b, line) - kThirdsCut * ((line[0] + line[1]) + line[2]);
  const float offset = -(start * scale);
  Float16 weights = along(block, line);
  for (float& at : weights) at = whole(std::clamp(at * scale + offset, 0.0f, 1.0f) * 3);
  return weights;
}

float line_error(const Float3& sum, const LineSums& sums, const LineEnds& ends) {
  Float3 error{};
  for (size_t c = 0; c < 3; ++c) {
    const float b = ends.b[c], d = ends.a[c] - b;
    // Sum of (3 v - (3 b + w d))^2 minus that of (3 v)^2.
    error[c] = (3 * b) * (48 * b + (2 * sums.w * d - 6 * sum[c])) + d * (sums.ww * d - 6 * sums.wv[c]);
  }
  return (error[0] + error[1]) + error[2];
}

LineEnds line_flat(const Float3& sum) {
  RgbBlock mean;
  for (size_t i = 0; i < 16; ++i) {
    mean.r[i] = static_cast<int>(sum[0] + 8) >> 4;
    mean.g[i] = static_cast<int>(sum[1] + 8) >> 4;
    mean.b[i] = static_cast<int>(sum[2] + 8) >> 4;
  }
  const Ends565 flat = flat_ends(mean);
  const auto as_float = [](const Color565& c) {
    return Float3{static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2])};
  };
  return line_ends(as_float(flat.a), as_float(flat.b));
}

FirstWeights first_weights(const LineBlock& block, const Float3& axis) {
  FirstWeights first{along(block, axis), 0};
  const auto [low, high] = std::minmax_element(first.w.begin(), first.w.end());
  const float lowest = *low;
  first.range = *high - lowest;
  const float scale = rounded_bits<7>(reciprocal(std::max(first.range, 1.0f)) * (3 + 2 * kFirstInset));
  const float offset = lowest * scale + kFirstInset;
  for (float& at : first.w) at = whole(at * scale - offset);
  return first;
}

Bc1Block pack_line(const LineEnds& ends, const Float16& weights) {
  const auto packed = [](const Float3& code) {
    return static_cast<unsigned>(code[0]) << 11 | static_cast<unsigned>(code[1]) << 5 | static_cast<unsigned>(code[2]);
  };
  const unsigned a = packed(ends.code_a), b = packed(ends.code_b);
  constexpr std::array<uint32_t, 4> kIndexOfWeight = {1, 3, 2, 0};
  uint32_t indices = 0;
  for (size_t i = 0; i < 16; ++i) indices |= kIndexOfWeight[static_cast<size_t>(weights[i])] << (2 * i);
  if (a < b) indices ^= 0x55555555;  // b becomes color0: indices 0 and 1 are exchanged, and 2 and 3
  if (a == b) indices = 0;
  const unsigned color0 = std::max(a, b), color1 = std::min(a, b);
  const auto byte = [](uint32_t value, int n) { return static_cast<uint8_t>(value >> (8 * n)); };
  return {byte(color0, 0),  byte(color0, 1),  byte(color1, 0),  byte(color1, 1),
          byte(indices, 0), byte(indices, 1), byte(indices, 2), byte(indices, 3)};
}

}  // namespace texcast::ref
