#include <algorithm>
#include <optional>

#include "astc_bits.h"
#include "astc_end_points.h"
#include "astc_integers.h"
#include "astc_mode.h"
#include "astc_partition.h"
#include "astc_ranges.h"
#include "astc_weights.h"
#include "base/ensure.h"
#include "base/misuse.h"
#include "ref/astc.h"

namespace texcast::ref {
namespace {

constexpr AstcRgba kErrorColor = {255, 0, 255, 255};
constexpr int kMaxPartitions = 4, kMaxColorIntegers = 18;

struct Block {
  int partitions = 1;
  int seed = 0;                             // of the partitions
  std::array<int, kMaxPartitions> modes{};  // of their end points
  int second_plane_channel = -1;            // the channel with the second weights
  AstcGrid grid;
  std::array<int, kAstcMaxWeights> weights{};   // 0..64
  std::array<int, kMaxColorIntegers> colors{};  // 0..255
};

// Weights are stored from the top of the block down, with the bits in reverse order.
void read_weights(std::span<const uint8_t, 16> block, Block& out) {
  AstcBlock turned{};
  for (int i = 0; i < 128; ++i) put_bits(turned, i, 1, bits_at(block, 127 - i, 1));
  const auto weights = std::span(out.weights).first(static_cast<size_t>(out.grid.weights()));
  read_astc_integers(turned, 0, out.grid.range, weights);
  for (int& weight : weights) weight = astc_weight(weight, out.grid.range);
}

// The end point modes of several partitions: one for all, or for each its class and its lowest two bits. Bits beyond
// six are stored below the weights. Returns the start of the colours, and lowers `top` to the limit of their end.
int read_partitioned_modes(std::span<const uint8_t, 16> block, Block& out, int& top) {
  const int encoded = bits_at(block, 23, 6), base_class = (encoded & 3) - 1;
  if (base_class < 0) {
    std::ranges::fill(out.modes, encoded >> 2);
    return 29;
  }
  const int more = 3 * out.partitions - 4;
  top -= more;
  const int bits = encoded | bits_at(block, top, more) << 6;
  for (int p = 0; p < out.partitions; ++p) {
    const int mode_class = base_class + (bits >> (2 + p) & 1);
    out.modes[static_cast<size_t>(p)] = 4 * mode_class + (bits >> (2 + out.partitions + 2 * p) & 3);
  }
  return 29;
}

std::optional<Block> read_block(std::span<const uint8_t, 16> block, AstcSize size) {
  Block out;
  const auto grid = astc_grid(bits_at(block, 0, 11), size);
  if (!grid) return {};
  out.grid = *grid;
  out.partitions = bits_at(block, 11, 2) + 1;
  if (out.grid.planes == 2 && out.partitions == kMaxPartitions) return {};
  int top = 128 - out.grid.bits(), first = 17;
  if (out.partitions == 1) {
    out.modes[0] = bits_at(block, 13, 4);
  } else {
    out.seed = bits_at(block, 13, 10);
    first = read_partitioned_modes(block, out, top);
  }
  if (out.grid.planes == 2) {
    top -= 2;
    if (top < first) return {};
    out.second_plane_channel = bits_at(block, top, 2);
  }
  int count = 0;
  for (int p = 0; p < out.partitions; ++p) count += astc_color_integers(out.modes[static_cast<size_t>(p)]);
  if (count > kMaxColorIntegers || top < first) return {};
  int range = static_cast<int>(kAstcRanges.size()) - 1;
  while (range >= kAstcFirstColorRange && astc_sequence_bits(count, range) > top - first) --range;
  if (range < kAstcFirstColorRange) return {};
  const auto colors = std::span(out.colors).first(static_cast<size_t>(count));
  read_astc_integers(block, first, range, colors);
  for (int& color : colors) color = astc_color(color, range);
  read_weights(block, out);
  return out;
}

// Bits 9 to 11, four extents of 13 bits, then a colour of 16 bits per channel.
AstcBlockKind decode_void_extent(std::span<const uint8_t, 16> block, std::span<AstcRgba> texels) {
  const auto extent = [&](int i) { return bits_at(block, 12 + 13 * i, 13); };
  const bool is_everywhere = extent(0) == 0x1FFF && extent(1) == 0x1FFF && extent(2) == 0x1FFF && extent(3) == 0x1FFF;
  const bool is_valid =
      bits_at(block, 10, 2) == 3 && (is_everywhere || (extent(0) < extent(1) && extent(2) < extent(3)));
  const bool is_hdr = bits_at(block, 9, 1) != 0;
  AstcRgba color = kErrorColor;
  if (is_valid && !is_hdr)
    for (int c = 0; c < 4; ++c) color[static_cast<size_t>(c)] = bits_at(block, 64 + 16 * c + 8, 8);
  std::ranges::fill(texels, color);
  if (!is_valid) return AstcBlockKind::invalid;
  return is_hdr ? AstcBlockKind::hdr : AstcBlockKind::ldr;
}

}  // namespace

AstcBlockKind decode_astc(std::span<const uint8_t, 16> block, AstcSize size, bool srgb, std::span<AstcRgba> texels) {
  REQUIRE_USE(size.width >= 4 && size.width <= kAstcMaxSide && size.height >= 4 && size.height <= kAstcMaxSide,
              "an ASTC block must be 4x4 to 12x12 texels");
  REQUIRE_USE(texels.size() == static_cast<size_t>(size.width * size.height),
              "the number of texels must be width * height");
  if (is_astc_void_extent(bits_at(block, 0, 11))) return decode_void_extent(block, texels);
  const auto read = read_block(block, size);
  if (!read) {
    std::ranges::fill(texels, kErrorColor);
    return AstcBlockKind::invalid;
  }
  std::array<AstcEnds, kMaxPartitions> ends{};
  std::span<const int> colors = read->colors;
  AstcBlockKind kind = AstcBlockKind::ldr;
  for (size_t p = 0; p < static_cast<size_t>(read->partitions); ++p) {
    const int mode = read->modes[p];
    const auto own = colors.first(static_cast<size_t>(astc_color_integers(mode)));
    colors = colors.subspan(own.size());
    if (is_astc_hdr(mode))
      kind = AstcBlockKind::hdr;
    else
      ends[p] = astc_ends(mode, own);
  }
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      AstcRgba& texel = texels[static_cast<size_t>(y * size.width + x)];
      const int p = read->partitions == 1 ? 0 : astc_partition(read->seed, x, y, read->partitions, size);
      if (is_astc_hdr(read->modes[static_cast<size_t>(p)])) {
        texel = kErrorColor;
        continue;
      }
      const auto& [low, high] = ends[static_cast<size_t>(p)];
      const auto widened = [&](int end) { return srgb ? end << 8 | 0x80 : end << 8 | end; };
      for (int c = 0; c < 4; ++c) {
        const auto i = static_cast<size_t>(c);
        const int w = astc_texel_weight(read->grid, size, read->weights, c == read->second_plane_channel ? 1 : 0, x, y);
        texel[i] = (widened(low[i]) * (64 - w) + widened(high[i]) * w + 32) >> 6 >> 8;
      }
    }
  return kind;
}

}  // namespace texcast::ref
