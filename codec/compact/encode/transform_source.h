// transform_source.h — the texels that a transform slice approximates, in planes of whole macroblocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compact/simd.h"
#include "compact/tile_grid.h"
#include "compact/transform_syntax.h"
#include "rd_source.h"
#include "source_texels.h"

namespace texcast::compact {

class TransformSource {
 public:
  static constexpr int kStride = kTileWidth;

  // Reads a tile or sub-slice. `texture`: the block encoder's, which is decoded where there is neither a picture nor
  // texels.
  void read(const TileGrid& grid, const Slice& slice, const RdSource& source, const std::byte* texture);
  // Relative to the slice. Texels on its right and below, up to the end of the last macroblock, are those of its edge.
  const uint8_t* at(int component, int x, int y) const {
    return &planes_[static_cast<size_t>(component)][static_cast<size_t>(y * kStride + x)];
  }

  U8x16 block(int component, int x, int y) const { return load_block(at(component, x, y), kStride); }

 private:
  void read(const TileGrid& grid, const Slice& slice, const SourcePicture& picture);
  void read(const TileGrid& grid, const Slice& slice, const FilmSource& film);

  using Plane = std::array<uint8_t, size_t{kTileWidth} * kTileHeight>;
  static void repeat_edge(Plane& plane, int width, int height);

  SourceTexels picture_;
  alignas(16) std::array<Plane, kTransformComponents> planes_;
};

}  // namespace texcast::compact
