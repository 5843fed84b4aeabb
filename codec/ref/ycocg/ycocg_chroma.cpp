#include "ycocg_chroma.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "base/ensure.h"
#include "kernels/effort.h"
#include "ref/reciprocal.h"

namespace texcast::ref {
namespace {

int expand(int code, int bits) { return bits == 5 ? code << 3 | code >> 2 : code << 2 | code >> 4; }

// A channel as stored in the texture: code c of so many bits means (expand(c) - 128) / scale, and `unit` of the block's
// integers make one of these.
struct ChannelKind {
  int bits, largest, unit;
  float to_code;
};
constexpr ChannelKind kCo{5, 31, 2, 31.0f / 255.0f}, kCg{6, 63, 4, 63.0f / 255.0f};

int value_of(int code, const ChannelKind& kind) { return kind.unit * (expand(code, kind.bits) - 128); }  // times scale

struct Sums {
  int w = 0, ww = 0, co = 0, wco = 0, cg = 0, wcg = 0;
  int determinant() const { return 16 * ww - w * w; }
};

Sums sums_of(const ChromaBlock& block, const Weights& weights) {
  Sums s;
  for (size_t i = 0; i < 16; ++i) {
    s.w += weights[i];
    s.ww += weights[i] * weights[i];
    s.co += block.co2[i];
    s.wco += weights[i] * block.co2[i];
    s.cg += block.cg4[i];
    s.wcg += weights[i] * block.cg4[i];
  }
  return s;
}

// End points before rounding, in the block's units.
struct Line {
  float co_a, co_b, cg_a, cg_b;
};

// The corners of the bounding box along the diagonal that the texels follow.
Line box_line(const ChromaBlock& block) {
  const auto [co_low, co_high] = std::minmax_element(block.co2.begin(), block.co2.end());
  const auto [cg_low, cg_high] = std::minmax_element(block.cg4.begin(), block.cg4.end());
  int co = 0, cg = 0, product = 0;
  for (size_t i = 0; i < 16; ++i) {
    co += block.co2[i];
    cg += block.cg4[i];
    product += block.co2[i] * block.cg4[i];
  }
  const bool falls = 16 * product - co * cg < 0;
  return {static_cast<float>(*co_high), static_cast<float>(*co_low), static_cast<float>(falls ? *cg_low : *cg_high),
          static_cast<float>(falls ? *cg_high : *cg_low)};
}

int below_zero(float value) { return std::bit_cast<int32_t>(value) >> 31; }  // -1 or 0

Weights weights_along(const ChromaBlock& block, const Line& line) {
  const float co_rise = line.co_a - line.co_b, cg_rise = line.cg_a - line.cg_b;
  const float co_axis = 3.0f * co_rise;
  const float length = co_axis * co_rise + cg_rise * cg_rise;
  const float start = line.co_b * co_axis + line.cg_b * cg_rise;
  const float sixth = length * (1.0f / 6.0f);
  const float first = start + sixth, second = start + 3.0f * sixth, third = start + 5.0f * sixth;
  Weights weights{};
  for (size_t i = 0; i < 16; ++i) {
    const float at = static_cast<float>(block.co2[i]) * co_axis + static_cast<float>(block.cg4[i]) * cg_rise;
    weights[i] = 3 + below_zero(at - first) + below_zero(at - second) + below_zero(at - third);
  }
  return weights;
}

// Least squares for the sums' weights; the determinant must not be 0.
Line line_through(const Sums& s) {
  const float inverse = reciprocal(static_cast<float>(s.determinant()));
  const auto ends = [&](int v, int wv, float& a, float& b) {
    const int at_b = s.ww * v - s.w * wv;
    const int at_a = at_b + 3 * (16 * wv - s.w * v);
    a = static_cast<float>(at_a) * inverse;
    b = static_cast<float>(at_b) * inverse;
  };
  Line line{};
  ends(s.co, s.wco, line.co_a, line.co_b);
  ends(s.cg, s.wcg, line.cg_a, line.cg_b);
  return line;
}

// 9 scale^2 times the squared error of one channel for these codes and the sums' weights, minus that of all-zero
// colours. Below 2^31 for every scale.
int channel_error(const Sums& s, int v, int wv, int scale, int code_a, int code_b, const ChannelKind& kind) {
  const int b = value_of(code_b, kind), d = value_of(code_a, kind) - b;
  return b * (144 * b + 6 * s.w * d - 18 * scale * v) + d * (s.ww * d - 6 * scale * wv);
}

// Tries the codes below and above each end point; returns the pair with the smallest error.
int round_channel(const Sums& s, int v, int wv, int scale, float a, float b, const ChannelKind& kind,
                  std::array<int, 2>& codes) {
  const float per_unit = static_cast<float>(scale) / static_cast<float>(kind.unit);
  const auto code_below = [&](float end) {
    return static_cast<int>(
        std::min(std::max((end * per_unit + 128.0f) * kind.to_code, 0.0f), static_cast<float>(kind.largest)));
  };
  const int low_a = code_below(a), low_b = code_below(b);
  int best = 0;
  for (int n = 0; n < 4; ++n) {
    const int code_a = std::min(low_a + n / 2, kind.largest), code_b = std::min(low_b + n % 2, kind.largest);
    const int error = channel_error(s, v, wv, scale, code_a, code_b, kind);
    if (n > 0 && error >= best) continue;
    best = error;
    codes = {code_a, code_b};
  }
  return best;
}

float scaled_error(int co, int cg, int scale) {
  const float inverse = scale == 1 ? 1.0f : scale == 2 ? 0.25f : 0.0625f;
  return (3.0f * static_cast<float>(co) + static_cast<float>(cg)) * inverse;
}

float round_line(const Sums& s, const Line& line, int scale, ChromaEnds& ends) {
  ends.scale = scale;
  const int co = round_channel(s, s.co, s.wco, scale, line.co_a, line.co_b, kCo, ends.co);
  const int cg = round_channel(s, s.cg, s.wcg, scale, line.cg_a, line.cg_b, kCg, ends.cg);
  return scaled_error(co, cg, scale);
}

// The exactly nearest of the four colours, with exact thirds.
Weights nearest_weights(const ChromaBlock& block, const ChromaEnds& ends) {
  const int co_b = value_of(ends.co[1], kCo), co_rise = value_of(ends.co[0], kCo) - co_b;
  const int cg_b = value_of(ends.cg[1], kCg), cg_rise = value_of(ends.cg[0], kCg) - cg_b;
  const int length = 3 * co_rise * co_rise + cg_rise * cg_rise;
  Weights weights{};
  for (size_t i = 0; i < 16; ++i) {
    const int at =
        6 * (3 * (ends.scale * block.co2[i] - co_b) * co_rise + (ends.scale * block.cg4[i] - cg_b) * cg_rise);
    weights[i] = (at >= length) + (at >= 3 * length) + (at >= 5 * length);
  }
  return weights;
}

float error_of(const Sums& s, const ChromaEnds& e) {
  return scaled_error(channel_error(s, s.co, s.wco, e.scale, e.co[0], e.co[1], kCo),
                      channel_error(s, s.cg, s.wcg, e.scale, e.cg[0], e.cg[1], kCg), e.scale);
}

// All texels at the 2/3 point nearest to the mean, with the largest scale that reaches it.
ChromaFit flat_fit(const Sums& s) {
  ChromaFit fit;
  for (const int scale : {4, 2, 1}) {
    if (scale > 1 && (std::abs(s.co) * scale > 127 * 32 || std::abs(s.cg) * scale > 127 * 64)) continue;
    const int co = std::clamp((s.co * scale + 128 * 32 + 16) >> 5, 0, 255);
    const int cg = std::clamp((s.cg * scale + 128 * 64 + 32) >> 6, 0, 255);
    RgbBlock texture{};
    texture.r.fill(co);
    texture.g.fill(cg);
    const Ends565 ends = flat_ends(texture);
    fit.ends = {{ends.a[0], ends.b[0]}, {ends.a[1], ends.b[1]}, scale};
    break;
  }
  fit.weights.fill(2);
  return fit;
}

// In each step takes the best neighbour: one channel of one end point up or down, or of both at once.
void walk(const ChromaBlock& block, int rounds, ChromaFit& best, float error) {
  for (int round = 0; round < rounds; ++round) {
    ChromaFit next = best;
    float next_error = error;
    for (const bool green : {false, true})
      for (int move = 0; move < 9; ++move) {
        ChromaFit fit = best;
        auto& codes = green ? fit.ends.cg : fit.ends.co;
        const int largest = green ? 63 : 31;
        codes[0] += move / 3 - 1;
        codes[1] += move % 3 - 1;
        if (move == 4 || std::min(codes[0], codes[1]) < 0 || std::max(codes[0], codes[1]) > largest) continue;
        fit.weights = nearest_weights(block, fit.ends);
        const float e = error_of(sums_of(block, fit.weights), fit.ends);
        if (e >= next_error) continue;
        next = fit;
        next_error = e;
      }
    if (next_error == error) return;
    best = next;
    error = next_error;
  }
}

}  // namespace

ChromaEffort chroma_effort(Method method) {
  ENSURE(has_method(TextureFormat::ycocg_dxt5, method));
  const auto m = static_cast<int>(method);
  return {TEXCAST_CHROMA_LINE_FITS(m), TEXCAST_CHROMA_FITS(m), TEXCAST_CHROMA_WALK(m)};
}

ChromaFit fit_chroma(const ChromaBlock& block, const ChromaEffort& effort) {
  ENSURE(effort.line_fits >= 1);
  Line line = box_line(block);
  Sums sums;
  for (int n = 0; n < effort.line_fits; ++n) {
    sums = sums_of(block, weights_along(block, line));
    if (sums.determinant() == 0) return flat_fit(sums);
    line = line_through(sums);
  }
  ChromaFit best;
  float error = 0;
  for (const int scale : {4, 2, 1}) {
    ChromaEnds ends;
    const float e = round_line(sums, line, scale, ends);
    if (scale < 4 && e >= error) continue;
    best.ends = ends;
    error = e;
  }
  best.weights = nearest_weights(block, best.ends);
  if (effort.fits == 0 && effort.walk == 0) return best;

  sums = sums_of(block, best.weights);
  error = error_of(sums, best.ends);
  for (int n = 0; n < effort.fits && sums.determinant() != 0; ++n) {
    ChromaFit fit;
    round_line(sums, line_through(sums), best.ends.scale, fit.ends);
    fit.weights = nearest_weights(block, fit.ends);
    sums = sums_of(block, fit.weights);
    const float e = error_of(sums, fit.ends);
    if (e >= error) continue;
    best = fit;
    error = e;
  }
  walk(block, effort.walk, best, error);
  return best;
}

Bc1Block pack_chroma(const ChromaFit& fit) {
  const auto code = [&](size_t end) { return fit.ends.co[end] << 11 | fit.ends.cg[end] << 5 | (fit.ends.scale - 1); };
  int c0 = code(0), c1 = code(1);
  const bool swapped = c0 < c1;
  if (swapped) std::swap(c0, c1);
  Bc1Block block{static_cast<uint8_t>(c0), static_cast<uint8_t>(c0 >> 8), static_cast<uint8_t>(c1),
                 static_cast<uint8_t>(c1 >> 8)};
  if (c0 == c1) return block;
  constexpr std::array<uint8_t, 4> kIndex = {1, 3, 2, 0};  // from c1 to c0
  for (size_t i = 0; i < 16; ++i) {
    const int place = swapped ? 3 - fit.weights[i] : fit.weights[i];
    block[4 + i / 4] = static_cast<uint8_t>(block[4 + i / 4] | kIndex[static_cast<size_t>(place)] << (2 * (i % 4)));
  }
  return block;
}

}  // namespace texcast::ref
