#include "ref/ycocg_search.h"

#include <algorithm>

#include "base/ensure.h"
#include "kernels/chroma_weights.h"
#include "kernels/effort.h"
#include "ref/bc4_fit.h"
#include "ycocg_luma.h"

namespace texcast::ref {
namespace {

constexpr int kTwelfthsOfZero = 12 * 128;

Bc4Effort plane_effort(Method method) {
  ENSURE(method == Method::cluster || method == Method::cluster_search);
  const auto m = static_cast<int>(method);
  return {TEXCAST_BC4_STARTS(m), TEXCAST_CHANNEL_SIX_VALUES(m) != 0, TEXCAST_BC4_WINDOW(m)};
}

// The weights of an area's texels across (or down) in its 4 chroma texels: for halved planes by chroma_weights.h, in
// 32nds; for others the texel at the same place.
constexpr int kWeights[8][4] = {{TEXCAST_CHROMA_WEIGHTS_0}, {TEXCAST_CHROMA_WEIGHTS_1}, {TEXCAST_CHROMA_WEIGHTS_2},
                                {TEXCAST_CHROMA_WEIGHTS_3}, {TEXCAST_CHROMA_WEIGHTS_4}, {TEXCAST_CHROMA_WEIGHTS_5},
                                {TEXCAST_CHROMA_WEIGHTS_6}, {TEXCAST_CHROMA_WEIGHTS_7}};
int weight(int texels_to_one, int texel, int chroma_texel) {
  return texels_to_one == 2 ? kWeights[texel][chroma_texel] : static_cast<int>(texel == chroma_texel);
}

// The 16 chroma texels of the values that `of` returns for the area's texels, in twelfths: `scale` times its weighted
// sums, halves up. First across, then down: whole numbers, so the order does not matter.
template <typename Of>
ChannelBlock chroma_targets(const YcocgArea& area, Of of, int scale) {
  const int bits = TEXCAST_CHROMA_WEIGHT_BITS * (static_cast<int>(area.across == 2) + static_cast<int>(area.down == 2));
  const int rounding = bits > 0 ? 1 << (bits - 1) : 0;
  std::array<std::array<int, 4>, 8> across{};
  for (int y = 0; y < 4 * area.down; ++y)
    for (int x = 0; x < 4 * area.across; ++x) {
      const int value = of(x, y);
      for (int i = 0; i < 4; ++i)
        across[static_cast<size_t>(y)][static_cast<size_t>(i)] += weight(area.across, x, i) * value;
    }
  ChannelBlock block{};
  for (int i = 0; i < 16; ++i) {
    int sum = 0;
    for (int y = 0; y < 4 * area.down; ++y)
      sum += weight(area.down, y, i / 4) * across[static_cast<size_t>(y)][static_cast<size_t>(i % 4)];
    const int twelfths = (scale * sum + (kTwelfthsOfZero << bits) + rounding) >> bits;
    block[static_cast<size_t>(i)] = std::clamp(twelfths, 0, 3060);
  }
  return block;
}

// 16 times the chroma of a luma texel, as in ref/ycocg_planes.h, but with the area's edge repeated.
int sixteenths(const YcocgArea& area, const ChannelBlock& chroma, int x, int y) {
  const auto side = [](int at, int texels) {
    return texels == 1 ? at : std::clamp(at % 2 == 0 ? at / 2 - 1 : at / 2 + 1, 0, 3);
  };
  const int own_x = x / area.across, own_y = y / area.down, side_x = side(x, area.across), side_y = side(y, area.down);
  const auto at = [&](int column, int row) { return chroma[static_cast<size_t>(4 * row + column)]; };
  return 3 * (3 * at(own_x, own_y) + at(side_x, own_y)) + 3 * at(own_x, side_y) + at(side_x, side_y);
}

// Four times the decoded value, from sixteenths of a code that has 128 for 0.
int quarters(int sixteenths_of_code) { return (sixteenths_of_code - 16 * 128 + 2) >> 2; }

// Luma without compensation: final if the planes have the same size, else the basis for choosing Cg.
Bc4Block encode_first_luma(const YcocgArea& area, int column, int row, Method method) {
  ChannelBlock targets{};
  for (int i = 0; i < 16; ++i) {
    const YcocgArea::Rgb& p = area.at(4 * column + i % 4, 4 * row + i / 4);
    targets[static_cast<size_t>(i)] = 3 * (p.r + 2 * p.g + p.b);
  }
  return encode_bc4_fitted(targets, plane_effort(method));
}

// Three times the ideal Cg for that luma: G needs G - Y, R and B together twice Y - (R + B) / 2. Co has no effect on
// them.
using Wanted = std::array<int, 64>;
Wanted thrice_green(const YcocgArea& area, Method method) {
  Wanted wanted{};
  for (int row = 0; row < area.down; ++row)
    for (int column = 0; column < area.across; ++column) {
      const ChannelBlock luma = decode_bc4(encode_first_luma(area, column, row, method));
      for (int i = 0; i < 16; ++i) {
        const int x = 4 * column + i % 4, y = 4 * row + i / 4;
        const YcocgArea::Rgb& p = area.at(x, y);
        wanted[static_cast<size_t>(y * 4 * area.across + x)] = luma[static_cast<size_t>(i)] + p.g - p.r - p.b;
      }
    }
  return wanted;
}

}  // namespace

Bc4Block encode_ycocg_co(const YcocgArea& area, Method method) {
  const auto twice = [&](int x, int y) { return area.at(x, y).r - area.at(x, y).b; };
  return encode_bc4_fitted(chroma_targets(area, twice, 6), plane_effort(method));
}

Bc4Block encode_ycocg_cg(const YcocgArea& area, Method method) {
  if (area.down == 2) {
    const auto four_times = [&](int x, int y) { return 2 * area.at(x, y).g - area.at(x, y).r - area.at(x, y).b; };
    return encode_bc4_fitted(chroma_targets(area, four_times, 3), plane_effort(method));
  }
  const Wanted wanted = thrice_green(area, method);
  const auto thrice = [&](int x, int y) { return wanted[static_cast<size_t>(y * 4 * area.across + x)]; };
  return encode_bc4_fitted(chroma_targets(area, thrice, 4), plane_effort(method));
}

YcocgChroma ycocg_chroma(const YcocgArea& area, Method method) {
  if (area.across == 1) return {};
  return {decode_bc4(encode_ycocg_co(area, method)), decode_bc4(encode_ycocg_cg(area, method))};
}

Bc4Block encode_ycocg_y(const YcocgArea& area, const YcocgChroma& chroma, int column, int row, Method method) {
  if (area.across == 1) return encode_first_luma(area, column, row, method);
  ChannelBlock targets{};
  for (int i = 0; i < 16; ++i) {
    const int x = 4 * column + i % 4, y = 4 * row + i / 4;
    const YcocgArea::Rgb& p = area.at(x, y);
    targets[static_cast<size_t>(i)] = luma_target(p.r, p.g, p.b, quarters(sixteenths(area, chroma.co, x, y)),
                                                  quarters(sixteenths(area, chroma.cg, x, y)));
  }
  return encode_bc4_fitted(targets, plane_effort(method));
}

}  // namespace texcast::ref
