// tile_grid.h — how a texture is cut for compact streams: tiles (texcast/tiles.h), and in them half-blocks of 8 bytes.
// docs/compact.md has the whole of the stream; its chapters have these headers' names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "texcast/format.h"
#include "texcast/tiles.h"

namespace texcast::compact {

using texcast::kTileHeight;
using texcast::kTileWidth;
inline constexpr int kPartitionSide = 16;  // pixels: what shares a vector
inline constexpr int kMostComponents = 4;

// How the 8 bytes are read.
enum class SubBlockKind : uint8_t {
  color,       // BC1: two colours 5:6:5, 16 indices of 2 bits; three colours and black where the first is not larger
  four_color,  // the same, always four colours: what BC3 has
  channel,     // BC4: two values of 8 bits, 16 indices of 3 bits
};

// What the numbers mean, for the statistics that they are coded with. `chroma_444`: chroma with as many texels as luma,
// which lossy units know apart.
enum class TableSet : uint8_t { color, scaled_chroma, luma, chroma, alpha, chroma_444 };
inline constexpr int kTableSets = 6, kLosslessTableSets = 5;

// Sub-blocks of one kind in one plane: blocks of 8 bytes, or one half of those of 16.
struct Component {
  SubBlockKind kind{};
  TableSet tables{};
  int blocks_x = 0, blocks_y = 0;
  int across = 1, down = 1;                                     // pixels of the picture to a texel
  size_t offset = 0;                                            // bytes, of the first half-block in the texture
  size_t stride = 8;                                            // bytes from one to the next; rows have no gaps
  int tile_columns() const { return kTileWidth / 4 / across; }  // blocks in a tile, at most
  int tile_rows() const { return kTileHeight / 4 / down; }
  // Whether it has the same shapes as the first component, texel by texel: in lossy units indices may be taken from
  // there.
  bool follows_luma() const { return tables == TableSet::chroma_444; }
  size_t at(int x, int y) const { return offset + (static_cast<size_t>(y) * blocks_x + x) * stride; }
};

// Blocks [x0, x1) by [y0, y1) of a component.
struct BlockRect {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  int width() const { return x1 - x0; }
  int height() const { return y1 - y0; }
  int count() const { return width() * height(); }
  bool operator==(const BlockRect&) const = default;
};

// A tile, or one of 2, 4 or 8 strips of it, of the same number of rows; of lossy streams a run of whole tiles beside
// each other too: what is coded by itself.
struct Slice {
  uint32_t tile = 0;                                                             // the first
  uint8_t sub_slices = 1;                                                        // into which the tile is cut
  uint8_t sub_slice = 0;                                                         // which of them
  uint16_t tiles = 1;                                                            // 256 at most, in one row
  Slice only(uint32_t i) const { return {tile + i, sub_slices, sub_slice, 1}; }  // the tile of that number in the run
  bool operator==(const Slice&) const = default;
};

// Values only. Tiles are numbered row by row from the top left.
class TileGrid {
 public:
  // Whether a format's texture can be cut so: it is of blocks of 4 x 4 texels that are BC1, BC3, BC4 or BC5.
  static bool can_cut(TextureFormat format);
  // Whether its blocks may be replaced by others that come near: of those that can be cut all but scaled YCoCg, where a
  // little of the scale is much of the colours.
  static bool can_be_lossy(TextureFormat format);
  // Misuse where it cannot be cut.
  explicit TileGrid(const TextureDesc& texture);

  const TextureDesc& texture() const { return texture_; }
  int across() const { return across_; }
  int down() const { return down_; }
  uint32_t tiles() const { return static_cast<uint32_t>(across_) * down_; }
  int component_count() const { return component_count_; }
  const Component& component(int i) const { return components_[i]; }
  size_t texture_bytes() const { return texture_bytes_; }
  // Whether all half-blocks are of channels, one behind the other: planes of BC4, which kernels know with loss too.
  bool has_planes_of_channels() const;
  int most_sub_slices() const { return most_strips_; }  // into which a tile can be cut

  uint32_t tile_of(const Component& component, int block_x, int block_y) const {
    return static_cast<uint32_t>(block_y / component.tile_rows()) * across_ + block_x / component.tile_columns();
  }
  // Of a unit that is no run. Empty where a tile at the edge has no such blocks.
  BlockRect blocks(const Component& component, const Slice& slice) const;
  // call(offset) for each of a unit's half-blocks in the order of plain units: tile by tile, component by component,
  // row by row. The offset is in bytes of the texture.
  template <typename Call>
  void for_each_sub_block(const Slice& slice, const Call& call) const {
    for (uint32_t tile = 0; tile < slice.tiles; ++tile) {
      for (int i = 0; i < component_count_; ++i) {
        const BlockRect rect = blocks(components_[i], slice.only(tile));
        for (int y = rect.y0; y < rect.y1; ++y)
          for (int x = rect.x0; x < rect.x1; ++x) call(components_[i].at(x, y));
      }
    }
  }
  size_t raw_bytes(const Slice& slice) const;       // of all its half-blocks
  size_t most_raw_bytes(uint8_t sub_slices) const;  // of the largest unit
  // The bytes of an average tile: tiles at the edges have fewer.
  size_t usual_tile_bytes() const { return texture_bytes_ / tiles(); }

 private:
  TextureDesc texture_;
  int across_ = 0, down_ = 0;
  int component_count_ = 0;
  std::array<Component, kMostComponents> components_{};
  size_t texture_bytes_ = 0;
  int most_strips_ = 8;
};

}  // namespace texcast::compact
