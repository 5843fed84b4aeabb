// source_texels.h — the source texels of a slice's components, which lossy coding approximates.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "compact/partition_pixels.h"
#include "compact/source_picture.h"
#include "compact/sub_block.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Decodes a sub-block to one or three channels of 8 bits. Distortion is measured in these.
template <typename SubBlock>
void decoded_texels(SubBlockKind kind, uint64_t sub_block, Texels& out) {
  uint8_t palette[SubBlock::kChannels][SubBlock::kLevels];
  const uint32_t ends = ends_of<SubBlock>(sub_block);
  palette_of<SubBlock>(kind, ends, palette);
  const Levels levels = levels_of<SubBlock>(sub_block, SubBlock::full(kind, ends));
  for (int c = 0; c < SubBlock::kChannels; ++c)
    for (int i = 0; i < 16; ++i) out.at[c][i] = palette[c][levels[i]];
}

// A slice's part of the picture, converted to its components.
class SourceTexels {
 public:
  // `slice` is a tile or a sub-slice. `picture` must outlive the calls below.
  void read(const TileGrid& grid, const Slice& slice, const SourcePicture& picture);
  // Y, Co or Cg for component `i` of planes, otherwise red, green and blue. Outside of the picture its edge is
  // repeated.
  template <typename SubBlock>
  BlockTexels<SubBlock> sub_block(int i, int x, int y) const {
    BlockTexels<SubBlock> out;
    if constexpr (SubBlock::kChannels == 1) {
      const Plane& plane = planes_[static_cast<size_t>(i)];
      const uint8_t* const from = plane.texels.data() + (y - plane.y0) * 4 * kTileWidth + (x - plane.x0) * 4;
      out.texels = load_block(from, kTileWidth);
    } else {
      for (int j = 0; j < 4; ++j) out.rows[j] = load_vector<U32x4>(picture_->row(y * 4 + j) + x * 4);
    }
    return out;
  }
  // The same of component `i` of planes, row by row; kTileWidth in a row.
  const uint8_t* plane(int i) const { return planes_[static_cast<size_t>(i)].texels.data(); }
  void channel(int i, int x, int y, Texels& out) const {
    store_vector(out.at[0], sub_block<ChannelSubBlock>(i, x, y).texels);
  }

 private:
  // How many pixels the filter of subsampled chroma extends beyond the slice.
  static constexpr int kReach = 6;
  static constexpr int kAtOnce = 8;  // columns
  static constexpr int kColumns = kTileWidth + 2 * kReach + kAtOnce - 1, kRows = kTileHeight + 2 * kReach;
  // 2 Co or 4 Cg of a slice's pixels and those around it, and the horizontally filtered sums of these.
  using Differences = std::array<std::array<int16_t, kColumns>, kRows>;
  using Sums = std::array<std::array<int32_t, kTileWidth>, kRows>;
  struct Halved {
    bool across, down;
  };
  void read_differences(int x0, int y0, int columns, int rows);
  void halve(const Differences& chroma, int scale, int columns, int rows, const Halved& halved, uint8_t* texels);

  struct Plane {
    int x0 = 0, y0 = 0;  // blocks
    std::array<uint8_t, size_t{kTileWidth} * kTileHeight> texels;
  };
  const SourcePicture* picture_ = nullptr;
  std::array<Plane, 3> planes_;
  Differences twice_co_, four_times_cg_;
  Sums sums_;
};

// The weight of a component's squared differences in those of red, green and blue, times 16. In Y'CoCg, Y affects all
// three, Co two, and Cg three. A texel of 4:2:0 chroma affects four pixels, but interpolation averages out a part of
// its error.
inline int weight_of(const TileGrid& grid, int i) {
  const Component& component = grid.component(i);
  if (component.kind != SubBlockKind::channel) return 16;
  if (component.tables != TableSet::chroma && component.tables != TableSet::chroma_444) return 48;
  const int weight = i == 1 ? 32 : 48;
  return component.across * component.down == 4 ? weight * 2 : component.across > 1 ? weight * 3 / 2 : weight;
}

}  // namespace texcast::compact
