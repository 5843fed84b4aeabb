// frame_state.h — shared by the parts of a frame encoder: the current frame, the reference frame, and the motion of
// each tile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/workers.h"
#include "compact/frame_encoder.h"
#include "compact/motion_search.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

struct FrameState {
  FrameState(const TextureDesc& texture, const FrameEncoderSettings& with, Workers& threads)
      : grid(texture), settings(with), workers(threads) {
    reference.resize(grid.texture_bytes());
    vectors.resize(grid.tiles());
    candidates.resize(grid.tiles());
    matched_vectors.resize(grid.tiles());
  }

  const TileGrid grid;
  const FrameEncoderSettings settings;
  Workers& workers;
  FrameToEncode input{};                     // valid from begin() to end() of a frame
  bool has_reference = false;                // false: every tile is intra
  std::vector<std::byte> reference;          // reconstruction of the previous frame
  std::vector<TileVectors> vectors;          // of each tile: those of the previous frame until the tile's motion search
  std::vector<MotionCandidates> candidates;  // of each changed tile
  std::vector<TileVectors> matched_vectors;  // the same, of partitions, if the CPU searches (WindowMatches)
  GlobalMotion global_motion;

  const std::byte* texture() const { return input.texture.data(); }
  // The blocks of a tile in the first component, in which motion is searched.
  BlockRect first_blocks(uint32_t tile) const { return grid.blocks(grid.component(0), {.tile = tile}); }
  uint32_t tile_at(size_t row, int column) const {
    return static_cast<uint32_t>(row) * static_cast<uint32_t>(grid.across()) + static_cast<uint32_t>(column);
  }
  size_t rows() const { return static_cast<size_t>(grid.down()); }

  // Calls `call(tile)` for each tile of a row.
  template <typename Call>
  void for_row(size_t row, const Call& call) const {
    for (int column = 0; column < grid.across(); ++column) call(tile_at(row, column));
  }
  // The same for all tiles, rows on all threads.
  template <typename Call>
  void for_all(const Call& call) const {
    workers.parallel_for(rows(), [&](size_t row) { for_row(row, call); });
  }
  // Calls `call(tiles)` on all threads, for a few of `tiles` at a time, as some take ten times as long as others.
  static constexpr size_t kSome = 4;
  template <typename Call>
  void for_some(std::span<const uint32_t> tiles, const Call& call) const {
    for_some(tiles, kSome, call);
  }
  // The same for `some` of them at a time.
  template <typename Call>
  void for_some(std::span<const uint32_t> tiles, size_t some, const Call& call) const {
    workers.parallel_for((tiles.size() + some - 1) / some, [&](size_t item) {
      const size_t begin = item * some;
      call(tiles.subspan(begin, std::min(some, tiles.size() - begin)));
    });
  }
  // `sub_block_pixels`: the candidates' unit, in pixels.
  void find_global_motion(std::span<const uint32_t> changed, int sub_block_pixels) {
    global_motion.clear();
    for (const uint32_t tile : changed)
      for (const MotionCandidate& candidate : candidates[tile]) global_motion.add(candidate);
    global_motion.finish(sub_block_pixels);
  }
};

}  // namespace texcast::compact
