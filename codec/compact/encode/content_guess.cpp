#include "content_guess.h"

#include <cstdlib>

#include "compact/sub_block.h"

namespace texcast::compact {
namespace {

constexpr double kFine = 18.5;  // the crf below which the tables of fine_film need fewer bits
constexpr int kContrast = 24;   // in 8-bit values; less than this are gradients and noise

struct TwoEnds {
  int first, second;
  int contrast;
};
TwoEnds two_ends(const Component& component, const std::byte* at) {
  const uint64_t sub_block = load_sub_block(at);
  if (component.kind == SubBlockKind::channel) {
    const auto [first, second] = ChannelSubBlock::values(ends_of<ChannelSubBlock>(sub_block));
    return {first, second, std::abs(first - second)};
  }
  const uint32_t ends = ends_of<ColorSubBlock>(sub_block);
  const auto v = ColorSubBlock::values(ends);
  return {static_cast<int>(ends & 0xFFFF), static_cast<int>(ends >> 16), 4 * std::abs(v[1] - v[4])};  // of green
}
// In either order: block encoders choose the order for other reasons.
bool has_same(const TwoEnds& a, const TwoEnds& b) {
  return a.first == b.first || a.second == b.second || a.first == b.second || a.second == b.first;
}

}  // namespace

ContentCounts count_contents(const TileGrid& grid, uint32_t tile, const std::byte* texture) {
  const Component& component = grid.component(0);
  const BlockRect rect = grid.blocks(component, {.tile = tile});
  ContentCounts counts;
  for (int y = rect.y0; y < rect.y1; ++y) {
    if (rect.x0 == rect.x1) continue;
    TwoEnds left = two_ends(component, texture + component.at(rect.x0, y));
    for (int x = rect.x0 + 1; x < rect.x1; ++x) {
      const TwoEnds here = two_ends(component, texture + component.at(x, y));
      const bool is_same = has_same(left, here);
      if (left.contrast < kContrast && here.contrast < kContrast) {
        counts.smooth += is_same ? 0 : 1;
      } else {
        ++counts.pairs;
        counts.same += is_same ? 1 : 0;
      }
      left = here;
    }
  }
  return counts;
}

Content guess_content(const TileGrid& grid, uint32_t tile, const std::byte* texture, const RdParameters& parameters) {
  const auto [pairs, same, smooth] = count_contents(grid, tile, texture);
  const bool is_screen = pairs > 0 ? same * 4 > pairs : smooth == 0;
  if (is_screen) return Content::screen;
  return parameters.lambda <= rd_parameters(kFine).lambda ? Content::fine_film : Content::film;
}

}  // namespace texcast::compact
