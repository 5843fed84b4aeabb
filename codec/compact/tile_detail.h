// tile_detail.h — about how much there is to tell of a tile, before it is coded: the bits of a tile go with that.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "compact/lossy_chooser.h"
#include "compact/tile_grid.h"
#include "compact/vector.h"
#include "motion.h"

namespace texcast::compact {

// Of a tile by itself: by how much its pixels differ from those beside and above them.
uint32_t detail_alone(const PixelPlane& now, const BlockRect& rect);
// The same against the frame before, area by area: in its place, at one of `vectors`, or at its own of `usual`, in
// pixels, where that is like it most. `given` is the frame before as it was, which says where, and whether it is anew;
// `then` as decoders have it, which says how much there is to tell.
TileDetail detail_against(const PixelPlane& now, const PixelPlane& given, const PixelPlane& then, const BlockRect& rect,
                          std::span<const Vector> vectors, const std::array<Vector, 8>& usual);

}  // namespace texcast::compact
