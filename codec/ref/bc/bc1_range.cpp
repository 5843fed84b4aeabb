#include <algorithm>

#include "ref/bc1_palette.h"

namespace texcast::ref {

std::array<Color565, 2> range_ends(const RgbBlock& texels) {
  const auto directions = channel_directions(texels);
  const std::array<const ChannelBlock*, 3> channels = {&texels.r, &texels.g, &texels.b};
  Color565 high{}, low{};
  for (size_t c = 0; c < 3; ++c) {
    const auto [smallest, largest] = std::minmax_element(channels[c]->begin(), channels[c]->end());
    const int inset = (*largest - *smallest) >> 4;
    const auto quantise = c == 1 ? to_6_bits : to_5_bits;
    high[c] = quantise(*largest - inset);
    low[c] = quantise(*smallest + inset);
    if (directions[c] < 0) std::swap(high[c], low[c]);
  }
  return {high, low};
}

Bc1Block encode_bc1_range(const RgbBlock& texels) {
  const auto [high, low] = range_ends(texels);
  return pack_bc1(texels, high, low);
}

}  // namespace texcast::ref
