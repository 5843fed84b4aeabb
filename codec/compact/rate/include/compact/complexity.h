// complexity.h — about how much there is to tell of a tile, before it is coded: the bits of a tile go with that.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "compact/motion_search.h"
#include "compact/motion_vector.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// About how much there is to tell of a tile, before it is coded (complexity.h).
struct TileComplexity {
  uint32_t detail = 0;
  bool is_anew = false;  // nothing before it is like it: it is to be told as if alone
  bool operator==(const TileComplexity&) const = default;
};
struct TileToMeasure {
  uint32_t tile = 0;
  bool intra = false;   // by itself
  MotionVector own{};   // what the tile voted for, in pixels
  TileVectors usual{};  // of the frame before, in pixels
};

// Of a tile by itself: by how much its pixels differ from those beside and above them.
uint32_t intra_complexity(const PixelPlane& now, const BlockRect& rect);
// The same against the frame before, area by area: in its place, at one of `vectors`, or at its own of `usual`, in
// pixels, where that is like it most. `given` is the frame before as it was, which says where, and whether it is anew;
// `then` as decoders have it, which says how much there is to tell.
TileComplexity inter_complexity(const PixelPlane& now, const PixelPlane& given, const PixelPlane& then,
                                const BlockRect& rect, std::span<const MotionVector> vectors,
                                const std::array<MotionVector, 8>& usual);

}  // namespace texcast::compact
