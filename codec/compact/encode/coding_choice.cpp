#include "coding_choice.h"

#include "compact/adaptive_quantisation.h"
#include "compact/block_fit.h"
#include "compact/level_distortion.h"
#include "compact/sub_block.h"
#include "macroblock_trials.h"

namespace texcast::compact {

CodingAttempt worthwhile_attempt(const ContentCounts& counts) {
  // Text and drawings have few colours, so that neighbouring blocks have end points in common.
  if (counts.pairs > 0 ? counts.same * 2 > counts.pairs : counts.smooth == 0) return CodingAttempt::blocks;
  return counts.same * 8 < counts.pairs + counts.smooth ? CodingAttempt::transform : CodingAttempt::both;
}

CodingAttempt next_attempt(const CodingChoice& choice, const TileGrid& grid, uint32_t tile, const std::byte* texture,
                           uint32_t frame, const SearchEffort& effort) {
  if (!choice.is_due(frame, tile)) return choice.kept();
  // One coding takes half of the time of both.
  if (effort.macroblocks < MacroblockEffort::quick && choice.is_known()) return choice.kept();
  return worthwhile_attempt(count_contents(grid, tile, texture));
}

int64_t coding_score(const TileGrid& grid, const Slice& slice, const TransformSource& source, const std::byte* texture,
                     int lambda, std::span<const uint8_t> weights, size_t bytes) {
  int64_t score = 8 * int64_t{lambda} * static_cast<int64_t>(bytes);
  for (int c = 0; c < kTransformComponents; ++c) {
    const Component& component = grid.component(c);
    const BlockRect rect = grid.blocks(component, slice);
    for (int y = 0; y < rect.height(); ++y)
      for (int x = 0; x < rect.width(); ++x) {
        const U8x16 texels = nearest_texels(load_sub_block(texture + component.at(rect.x0 + x, rect.y0 + y)));
        const int squares = squares_of(texels, source.block(c, x * 4, y * 4));
        const auto partition =
            static_cast<size_t>(y * component.down / 4 * kMacroblockColumns + x * component.across / 4);
        score += int64_t{kSampleWeights[c]} * squares * kFullLambda / lambda_weight(weights, partition);
      }
  }
  return score;
}

}  // namespace texcast::compact
