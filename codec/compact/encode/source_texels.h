// source_texels.h — the texels that a lossy stream is to come near to, half-block by half-block.
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

// What blocks decode to, as a channel or three of 8 bits: what is lost is counted in these.
template <typename SubBlock>
void decoded_texels(SubBlockKind kind, uint64_t half, Texels& out) {
  uint8_t palette[SubBlock::kChannels][SubBlock::kLevels];
  const uint32_t ends = ends_of<SubBlock>(half);
  palette_of<SubBlock>(kind, ends, palette);
  const Levels levels = levels_of<SubBlock>(half, SubBlock::full(kind, ends));
  for (int c = 0; c < SubBlock::kChannels; ++c)
    for (int i = 0; i < 16; ++i) out.at[c][i] = palette[c][levels[i]];
}

// A unit's part of the picture, as its components have it.
class SourceTexels {
 public:
  // Of a tile or strip.
  void read(const TileGrid& grid, const Slice& slice, const SourcePicture& picture);
  // Y, Co or Cg: component `i` of planes. Or red, green and blue; the picture's edge goes on outside.
  template <typename SubBlock>
  BlockTexels<SubBlock> half(int i, int x, int y) const {
    BlockTexels<SubBlock> out;
    if constexpr (SubBlock::kChannels == 1) {
      const Plane& plane = planes_[static_cast<size_t>(i)];
      const uint8_t* const from = plane.texels.data() + (y - plane.y0) * 4 * kTileWidth + (x - plane.x0) * 4;
      uint32_t rows[4];
      for (int j = 0; j < 4; ++j) std::memcpy(&rows[j], from + j * kTileWidth, 4);
      out.texels = reinterpret_cast<U8x16>(U32x4{rows[0], rows[1], rows[2], rows[3]});
    } else {
      for (int j = 0; j < 4; ++j) out.rows[j] = load_vector<U32x4>(picture_->row(y * 4 + j) + x * 4);
    }
    return out;
  }
  void channel(int i, int x, int y, Texels& out) const {
    store_vector(out.at[0], half<ChannelSubBlock>(i, x, y).texels);
  }

 private:
  // What a chroma texel of half size takes reaches so far beyond the unit.
  static constexpr int kReach = 6;
  static constexpr int kAtOnce = 8;  // columns
  static constexpr int kColumns = kTileWidth + 2 * kReach + kAtOnce - 1, kRows = kTileHeight + 2 * kReach;
  // 2 Co or 4 Cg of a unit's pixels and of those around it, and of that the sums across.
  using Differences = std::array<std::array<int16_t, kColumns>, kRows>;
  using Sums = std::array<std::array<int32_t, kTileWidth>, kRows>;
  struct Halved {
    bool across, down;
  };
  void read_differences(int x0, int y0, int columns, int rows);
  void halve(const Differences& of, int slice, int columns, int rows, const Halved& halved, uint8_t* texels);

  struct Plane {
    int x0 = 0, y0 = 0;  // blocks
    std::array<uint8_t, size_t{kTileWidth} * kTileHeight> texels;
  };
  const SourcePicture* picture_ = nullptr;
  std::array<Plane, 3> planes_;
  Differences twice_co_, four_times_cg_;
  Sums sums_;
};

// How much a squared difference of a component's texel is of those of red, green and blue, times 16 (Y'CoCg: Y is in
// all three, Co in two, Cg in three; a texel of subsampled chroma is in four pixels, whose interpolation evens out some
// of it).
inline int weight_of(const TileGrid& grid, int i) {
  const Component& component = grid.component(i);
  if (component.kind != SubBlockKind::channel) return 16;
  if (component.tables != TableSet::chroma && component.tables != TableSet::chroma_444) return 48;
  const int weight = i == 1 ? 32 : 48;
  return component.across * component.down == 4 ? weight * 2 : component.across > 1 ? weight * 3 / 2 : weight;
}

}  // namespace texcast::compact
