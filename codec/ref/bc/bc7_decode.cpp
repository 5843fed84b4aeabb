#include <utility>

#include "bc7_modes.h"
#include "ref/bc7.h"

namespace texcast::ref {
namespace {

// Reads bits from the block's lowest on.
class Bc7Reader {
 public:
  explicit Bc7Reader(std::span<const uint8_t, 16> block) : block_(block) {}
  int take(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i, ++at_) value |= (block_[at_ / 8] >> (at_ % 8) & 1) << i;
    return value;
  }

 private:
  std::span<const uint8_t, 16> block_;
  size_t at_ = 0;
};

using Bc7Ends = std::array<std::array<std::array<int, 4>, 2>, 3>;  // [subset][end][channel]

// Channel by channel of all end points, then their p-bits.
Bc7Ends read_ends(Bc7Reader& bits, const Bc7Mode& mode) {
  Bc7Ends ends{};
  const auto subsets = static_cast<size_t>(mode.subsets);
  for (size_t c = 0; c < 4; ++c)
    for (size_t s = 0; s < subsets; ++s)
      for (auto& end : ends[s]) end[c] = bits.take(c < 3 ? mode.color_bits : mode.alpha_bits);
  const int p_bits = mode.p_bits == PBits::none ? 0 : 1;
  for (size_t s = 0; s < subsets; ++s) {
    int p = 0;
    for (size_t e = 0; e < 2; ++e) {
      if (e == 0 || mode.p_bits == PBits::per_end) p = bits.take(p_bits);
      for (size_t c = 0; c < 4; ++c) {
        const int own = c < 3 ? mode.color_bits : mode.alpha_bits;
        int& value = ends[s][e][c];
        value = own == 0 ? 255 : bc7_expand(value << p_bits | p, own + p_bits);
      }
    }
  }
  return ends;
}

std::array<int, 16> read_indices(Bc7Reader& bits, int index_bits, int subsets, int partition) {
  std::array<int, 16> indices{};
  for (size_t i = 0; i < 16; ++i) {
    bool is_anchor = false;
    for (int s = 0; s < subsets; ++s) is_anchor = is_anchor || bc7_anchor(subsets, partition, s) == i;
    indices[i] = bits.take(is_anchor ? index_bits - 1 : index_bits);
  }
  return indices;
}

}  // namespace

Bc7Texels decode_bc7(std::span<const uint8_t, 16> block) {
  Bc7Texels texels{};
  Bc7Reader bits(block);
  size_t number = 0;
  while (number < 8 && bits.take(1) == 0) ++number;
  if (number == 8) return texels;
  const Bc7Mode& mode = kBc7Modes[number];
  const int partition = bits.take(mode.partition_bits), rotation = bits.take(mode.rotation_bits);
  const int selector = bits.take(mode.selector_bits);
  const Bc7Ends ends = read_ends(bits, mode);
  const auto first = read_indices(bits, mode.index_bits, mode.subsets, partition);
  const bool has_second = mode.second_index_bits > 0;
  const auto second = has_second ? read_indices(bits, mode.second_index_bits, 1, 0) : first;
  for (size_t i = 0; i < 16; ++i) {
    const auto& [low, high] = ends[static_cast<size_t>(bc7_subset(mode.subsets, partition, i))];
    const int by_first = bc7_weight(first[i], mode.index_bits);
    const int by_second = has_second ? bc7_weight(second[i], mode.second_index_bits) : by_first;
    const int color_weight = selector == 0 ? by_first : by_second, alpha_weight = selector == 0 ? by_second : by_first;
    std::array<int, 4> texel{};
    for (size_t c = 0; c < 4; ++c) texel[c] = bc7_blend(low[c], high[c], c < 3 ? color_weight : alpha_weight);
    if (rotation > 0) std::swap(texel[3], texel[static_cast<size_t>(rotation - 1)]);
    texels.color.r[i] = texel[0];
    texels.color.g[i] = texel[1];
    texels.color.b[i] = texel[2];
    texels.alpha[i] = texel[3];
  }
  return texels;
}

}  // namespace texcast::ref
