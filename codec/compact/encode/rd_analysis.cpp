#include "rd_analysis.h"

#include <algorithm>
#include <array>

#include "compact/slice_bytes.h"

namespace texcast::compact {
namespace {

uint8_t changed_partitions(const TileChanges& changes) {
  uint32_t partitions = 0;
  for (int row = 0; row < kMostSliceRows; ++row)
    for (int column = 0; column < 4; ++column)
      if ((changes.rows[static_cast<size_t>(row)] >> 4 * column & 15) != 0) partitions |= 1u << (row / 4 * 4 + column);
  return static_cast<uint8_t>(partitions);
}

}  // namespace

RdAnalysis::RdAnalysis(const FrameState& state)
    : state_(state),
      previous_source_(state.grid.texture_bytes()),
      changes_(size_t{state.grid.tiles()} * static_cast<size_t>(state.grid.component_count())),
      source_(state.grid.component(0)),
      previous_(state.grid.component(0)),
      reference_(state.grid.component(0)),
      windows_(previous_),
      tile_windows_(state.grid.tiles()) {
  if (SourcePicture::can_show(state.grid))
    picture_ = SourcePicture(state.grid.texture().width, state.grid.texture().height);
}

TileDifference RdAnalysis::find_changes(uint32_t tile, bool may_have_changed) {
  const std::byte* const previous = state_.has_reference ? previous_source_.data() : nullptr;
  TileChanges* const changes = &changes_[size_t{tile} * static_cast<size_t>(state_.grid.component_count())];
  const bool has_changed =
      compact::find_changes(state_.grid, tile, state_.texture(), previous, may_have_changed, changes);
  return changed_partitions(changes[0]) | (has_changed ? kChanged : 0);
}

void RdAnalysis::draw(uint32_t tile) {
  const BlockRect rect = state_.first_blocks(tile);
  if (has_picture()) {
    picture_.draw(*state_.input.picture, rect);
    source_.draw(picture_, rect);
  } else {
    source_.update(state_.grid.component(0), state_.texture(), rect, all_changed(rect));
  }
}

WindowMatches RdAnalysis::matches(uint32_t tile) {
  if (state_.has_reference) return windows_.find(source_, previous_, state_.first_blocks(tile), tile_windows_[tile]);
  tile_windows_[tile] = {};
  return {};
}

TileComplexity RdAnalysis::complexity(const TileToMeasure& tile) const {
  const BlockRect rect = state_.first_blocks(tile.tile);
  if (tile.intra) return {.estimate = intra_complexity(source_, rect)};
  std::array<MotionVector, 1 + kMostGlobalVectors> vectors{tile.own};
  const auto global = state_.global_motion.vectors();
  std::ranges::copy(global, vectors.begin() + 1);
  return inter_complexity(source_, previous_, reference_, rect, std::span(vectors).first(1 + global.size()),
                          tile.previous_vectors);
}

void RdAnalysis::search(uint32_t tile, int vector_cost, bool is_coarse, TileVectors& vectors) const {
  search_half_pel_vectors(state_.first_blocks(tile),
                          changes_[size_t{tile} * static_cast<size_t>(state_.grid.component_count())], source_,
                          reference_, state_.candidates[tile][0].vector, state_.global_motion.vectors(),
                          state_.matched_vectors[tile], vector_cost, is_coarse, vectors);
}

LambdaWeights RdAnalysis::weights(uint32_t tile, int lambda, const TileVectors& vectors) const {
  return lambda_weights(state_.first_blocks(tile), source_, previous_, vectors, lambda);
}

void RdAnalysis::keep_source(uint32_t tile) {
  copy_slice(state_.grid, {.tile = tile}, state_.texture(), previous_source_.data());
  previous_.take(source_, state_.first_blocks(tile));
}

void RdAnalysis::update_reference(uint32_t tile) {
  const BlockRect rect = state_.first_blocks(tile);
  reference_.update(state_.grid.component(0), state_.reference.data(), rect, all_changed(rect));
}

void RdAnalysis::index_windows(std::span<const uint32_t> changed, int way) {
  for (const uint32_t tile : changed) windows_.put(tile_windows_[tile], source_, state_.first_blocks(tile), way);
}

EncoderState RdAnalysis::encoder_state(bool is_picture_complete, std::vector<int16_t>& chroma) const {
  chroma.clear();
  for (int y = 0; y < source_.height() && is_picture_complete; ++y)
    for (int x = 0; x < source_.width(); ++x) {
      const uint8_t* const rgb = picture_.pixel(x, y);
      chroma.push_back(static_cast<int16_t>(rgb[0] - rgb[2]));
      chroma.push_back(static_cast<int16_t>(2 * rgb[1] - rgb[0] - rgb[2]));
    }
  return {.reference = state_.has_reference ? Bytes(state_.reference) : Bytes(),
          .previous_source = state_.has_reference ? Bytes(previous_source_) : Bytes(),
          .source_plane = source_.pixels(),
          .previous_plane = previous_.pixels(),
          .source_chroma = chroma,
          .window_index_entries = windows_.entries()};
}

}  // namespace texcast::compact
