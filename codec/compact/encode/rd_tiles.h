// rd_tiles.h — the parameters of each tile's lossy coding, and its reconstruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "coding_choice.h"
#include "compact/adaptive_quantisation.h"
#include "compact/content.h"
#include "compact/encoder_backend.h"
#include "compact/rd_parameters.h"
#include "compact/sample_planes.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

struct RdTiles {
  RdTiles(const TileGrid& grid, bool may_transform)
      : reconstruction(grid.texture_bytes()),
        content(grid.tiles()),
        block_content(grid.tiles()),
        choices(grid.tiles()),
        attempts(grid.tiles()),
        transform_quantisers(grid.tiles()),
        parameters(grid.tiles()),
        efforts(grid.tiles()),
        lambda_weights(grid.tiles()),
        differences(grid.tiles()),
        needs_texels(grid.tiles()),
        is_from_backend(grid.tiles()),
        is_recoded(grid.tiles()),
        is_film_drawn(grid.tiles()),
        of_blocks(grid.tiles()) {
    if (may_transform) samples.emplace(grid);
  }
  // Completes the samples of a tile that the CPU coded.
  void complete_samples(const TileGrid& grid, uint32_t tile, const std::byte* texture);

  std::vector<std::byte> reconstruction;      // the texture that decoders will have
  std::vector<Content> content;               // the class with which the tile was coded last, or a guess
  std::vector<Content> block_content;         // the same, of block coding only
  std::vector<CodingChoice> choices;          // between block coding and transform coding
  std::vector<CodingAttempt> attempts;        // in this frame
  std::vector<uint8_t> transform_quantisers;  // of tiles whose content is Content::transform
  uint32_t frames = 0;                        // begun so far
  std::vector<RdParameters> parameters;
  std::vector<SearchEffort> efforts;
  std::vector<LambdaWeights> lambda_weights;
  std::vector<TileDifference> differences;
  std::vector<uint8_t> needs_texels;     // the backend's symbols are not sufficient: the CPU needs the source's texels
  std::vector<uint8_t> is_from_backend;  // the tile is sent as the backend coded it
  std::vector<uint8_t> is_recoded;       // intra, because the tile would reference an unreliable one
  std::vector<uint8_t> is_film_drawn;    // the tile was drawn last from a FilmSource, and is coded from that
  std::optional<SamplePlanes> samples;   // that decoders will have; of streams that may have transform slices
  std::vector<uint8_t> of_blocks;        // a bit for each half of the tile: its blocks' samples are not in `samples`
};

}  // namespace texcast::compact
