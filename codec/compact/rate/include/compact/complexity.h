// complexity.h — estimates the complexity of tiles before they are coded. The bits of a tile are about proportional to
// it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "compact/motion_search.h"
#include "compact/motion_vector.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

struct TileComplexity {
  uint32_t estimate = 0;        // in absolute differences of luma
  bool is_new_content = false;  // the reference frame does not predict it, so that it costs as much as an intra tile
  bool operator==(const TileComplexity&) const = default;
};
struct TileToMeasure {
  uint32_t tile = 0;
  bool intra = false;              // without the reference frame
  MotionVector own{};              // the tile's best motion candidate, in pixels
  TileVectors previous_vectors{};  // of the previous frame, in pixels
};

// Without the reference frame: from the differences of pixels from their left and upper neighbours.
uint32_t intra_complexity(const PixelPlane& source, const BlockRect& rect);
// With the reference frame: each partition at the best of the zero vector, `vectors` and its own of `previous_vectors`,
// in pixels. The best vector, and whether the content is new, depend on `previous`, the previous source. The estimate
// depends on `reference`, which is the same frame as decoders have it.
TileComplexity inter_complexity(const PixelPlane& source, const PixelPlane& previous, const PixelPlane& reference,
                                const BlockRect& rect, std::span<const MotionVector> vectors,
                                const std::array<MotionVector, 8>& previous_vectors);

}  // namespace texcast::compact
