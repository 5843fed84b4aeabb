#include "ref/bc4.h"

#include <algorithm>

namespace texcast::ref {
namespace {

struct Fit {
  int high = 0, low = 0;    // end points, high >= low
  ChannelBlock sevenths{};  // each texel's place from low (0) to high (7)
  int error = 0;            // sum of squares, in 49ths
};

Fit nearest_sevenths(const ChannelBlock& texels, int high, int low) {
  Fit fit{high, low, {}, 0};
  const int range = high - low;
  for (size_t i = 0; i < 16; ++i) {
    int place = 0;
    // Midpoints are rounded up: place p begins at low + (2p - 1)/14 of the range.
    for (int p = 1; p <= 7; ++p)
      if (range > 0 && 14 * (texels[i] - low) >= (2 * p - 1) * range) place = p;
    fit.sevenths[i] = place;
    const int difference = 7 * (texels[i] - low) - place * range;
    fit.error += difference * difference;
  }
  return fit;
}

// End points that minimise the squared error for the given places; false if all places are the same.
bool least_squares(const ChannelBlock& texels, const ChannelBlock& sevenths, int& high, int& low) {
  int sum_w = 0, sum_ww = 0, sum_v = 0, sum_wv = 0;
  for (size_t i = 0; i < 16; ++i) {
    sum_w += sevenths[i];
    sum_ww += sevenths[i] * sevenths[i];
    sum_v += texels[i];
    sum_wv += sevenths[i] * texels[i];
  }
  const int determinant = 16 * sum_ww - sum_w * sum_w;
  if (determinant == 0) return false;
  const int low_numerator = sum_ww * sum_v - sum_w * sum_wv;
  const int high_numerator = low_numerator + 7 * (16 * sum_wv - sum_w * sum_v);
  const auto rounded = [&](int numerator) {
    return std::min((2 * std::max(numerator, 0) + determinant) / (2 * determinant), 255);
  };
  high = rounded(high_numerator);
  low = rounded(low_numerator);
  return true;
}

Bc4Block pack(const Fit& fit) {
  Bc4Block block{static_cast<uint8_t>(fit.high), static_cast<uint8_t>(fit.low)};
  uint64_t indices = 0;
  for (size_t i = 0; i < 16; ++i) {
    // Index 0 is the first end point, 1 the second, 2..7 the steps from the first to the second.
    const int place = fit.sevenths[i];
    const uint64_t index = fit.high == fit.low ? 0 : place == 7 ? 0 : place == 0 ? 1 : static_cast<uint64_t>(8 - place);
    indices |= index << (3 * i);
  }
  for (size_t i = 0; i < 6; ++i) block[2 + i] = static_cast<uint8_t>(indices >> (8 * i));
  return block;
}

Fit range_fit(const ChannelBlock& texels) {
  const auto [low, high] = std::minmax_element(texels.begin(), texels.end());
  return nearest_sevenths(texels, *high, *low);
}

}  // namespace

Bc4Block encode_bc4_range(const ChannelBlock& texels) { return pack(range_fit(texels)); }

Bc4Block encode_bc4_refined(const ChannelBlock& texels) {
  Fit fit = range_fit(texels);
  int high = 0, low = 0;
  if (least_squares(texels, fit.sevenths, high, low) && high > low) {
    const Fit refined = nearest_sevenths(texels, high, low);
    if (refined.error < fit.error) fit = refined;
  }
  return pack(fit);
}

ChannelBlock decode_bc4(std::span<const uint8_t, 8> block, EndpointExpansion expansion) {
  const int a0 = block[0], a1 = block[1];
  uint64_t indices = 0;
  for (size_t i = 0; i < 6; ++i) indices |= static_cast<uint64_t>(block[2 + i]) << (8 * i);
  const auto fraction = [&](int numerator, int denominator) {
    if (expansion == EndpointExpansion::ffmpeg) return numerator / denominator;
    return (2 * numerator + denominator) / (2 * denominator);
  };
  ChannelBlock texels{};
  for (size_t i = 0; i < 16; ++i) {
    const int index = static_cast<int>(indices >> (3 * i) & 7);
    if (index < 2) {
      texels[i] = index == 0 ? a0 : a1;
    } else if (a0 > a1) {
      texels[i] = fraction((8 - index) * a0 + (index - 1) * a1, 7);
    } else if (index < 6) {
      texels[i] = fraction((6 - index) * a0 + (index - 1) * a1, 5);
    } else {
      texels[i] = index == 6 ? 0 : 255;
    }
  }
  return texels;
}

ChannelBlock decode_bc4_signed(std::span<const uint8_t, 8> block) {
  const auto code = [&](size_t i) { return std::max(static_cast<int>(static_cast<int8_t>(block[i])), -127) + 127; };
  // 0..254 for -1..1.
  const int a0 = code(0), a1 = code(1);
  // The order follows from the stored bytes, -128 being below -127: then both end points have the same value.
  const bool eight = static_cast<int8_t>(block[0]) > static_cast<int8_t>(block[1]);
  uint64_t indices = 0;
  for (size_t i = 0; i < 6; ++i) indices |= static_cast<uint64_t>(block[2 + i]) << (8 * i);
  ChannelBlock texels{};
  for (size_t i = 0; i < 16; ++i) {
    const int index = static_cast<int>(indices >> (3 * i) & 7);
    int numerator = 0, denominator = 1;
    if (index < 2) {
      numerator = index == 0 ? a0 : a1;
    } else if (eight) {
      numerator = (8 - index) * a0 + (index - 1) * a1;
      denominator = 7;
    } else if (index < 6) {
      numerator = (6 - index) * a0 + (index - 1) * a1;
      denominator = 5;
    } else {
      numerator = index == 6 ? 0 : 254;
    }
    texels[i] = (2 * 255 * numerator + 254 * denominator) / (2 * 254 * denominator);
  }
  return texels;
}

}  // namespace texcast::ref
