// tile_grid.h — how a coded stream divides a texture: into tiles (texcast/tiles.h), and these into sub-blocks of 8
// bytes. docs/compact.md specifies the stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "texcast/format.h"
#include "texcast/tiles.h"

namespace texcast::compact {

using texcast::kTileHeight;
using texcast::kTileWidth;
inline constexpr int kPartitionSide = 16;  // pixels; a partition has one motion vector
inline constexpr int kMostComponents = 4;

// The layout of the 8 bytes.
enum class SubBlockKind : uint8_t {
  color,       // BC1: two colours 5:6:5, 16 indices of 2 bits; three colours and black if the first is not larger
  four_color,  // the same, but always four colours, as in BC3
  channel,     // BC4: two values of 8 bits, 16 indices of 3 bits
  opaque,      // any other: the codec does not interpret the fields, and codes them lossless
};

// The meaning of a component's values, which selects the probability tables. `chroma_444` is chroma with as many texels
// as luma; only lossy slices have tables of their own for it. Opaque sub-blocks have a set for each half of a family of
// codings.
enum class TableSet : uint8_t {
  color,
  scaled_chroma,
  luma,
  chroma,
  alpha,
  chroma_444,
  bc7_low,  // bytes 0 to 7
  bc7_high,
  bc6h_low,
  bc6h_high,
  astc_low,
  astc_high,
  etc,  // colours
  eac,  // one channel
};
inline constexpr int kTableSets = 6, kLosslessTableSets = 5;  // of sub-blocks that are interpreted
inline constexpr int kOpaqueTableSets = 8, kAllTableSets = kTableSets + kOpaqueTableSets;
inline bool is_opaque(TableSet set) { return static_cast<int>(set) >= kTableSets; }

// Versions of the codec. Decoders of a version decode all earlier ones.
inline constexpr uint8_t kLosslessVersion = 1, kLossyVersion = 2;
inline constexpr uint8_t kMoreFormatsVersion = 3;  // formats that the first two do not have, lossless
inline constexpr uint8_t kTransformVersion = 4;    // transform slices
inline constexpr uint8_t kNewestVersion = kTransformVersion;

// Sub-blocks of one kind in one plane: blocks of 8 bytes, or one half of those of 16.
struct Component {
  SubBlockKind kind{};
  TableSet tables{};
  int blocks_x = 0, blocks_y = 0;
  int across = 1, down = 1;  // pixels of the picture for one texel
  size_t offset = 0;         // of the first sub-block in the texture, in bytes
  size_t stride = 8;         // bytes from one sub-block to the next; rows have no gaps
  int tile_columns() const { return kTileWidth / 4 / across; }  // blocks in a tile, at most
  int tile_rows() const { return kTileHeight / 4 / down; }
  // Whether it has a texel for each texel of the first component, so that lossy slices may copy indices from there.
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

// The part of a frame that is coded on its own: a tile, or one of 2, 4 or 8 sub-slices of it with equally many rows.
// Lossy slices may also be several whole tiles beside each other.
struct Slice {
  uint32_t tile = 0;                                                             // the first
  uint8_t sub_slices = 1;                                                        // into which the tile is divided
  uint8_t sub_slice = 0;                                                         // which of them it is
  uint16_t tiles = 1;                                                            // 256 at most, in one row
  Slice only(uint32_t i) const { return {tile + i, sub_slices, sub_slice, 1}; }  // tile i of a slice of several
  bool operator==(const Slice&) const = default;
};

// A value type. Tiles are numbered row by row from the top left.
class TileGrid {
 public:
  // Whether textures of the format can be coded: they consist of compressed blocks of 4 x 4 texels.
  static bool can_cut(TextureFormat format);
  // Whether lossy slices can represent the format: it has unsigned BC1, BC3, BC4 or BC5 blocks. They cannot represent
  // scaled YCoCg, where a small error of the scale is a large error of the colours.
  static bool can_be_lossy(TextureFormat format);
  // Whether lossy streams of the format can have transform slices (transform_syntax.h): it has three planes of BC4.
  static bool can_have_transform(TextureFormat format);
  // The version that a decoder needs for streams of a format that can_cut(). `has_transform`: a lossy stream may have
  // transform slices.
  static uint8_t codec_version(TextureFormat format, bool is_lossy, bool has_transform = false);
  // It is misuse if !can_cut(texture.format).
  explicit TileGrid(const TextureDesc& texture);

  const TextureDesc& texture() const { return texture_; }
  int across() const { return across_; }
  int down() const { return down_; }
  uint32_t tiles() const { return static_cast<uint32_t>(across_) * down_; }
  int component_count() const { return component_count_; }
  const Component& component(int i) const { return components_[i]; }
  size_t texture_bytes() const { return texture_bytes_; }
  // Whether the sub-blocks are opaque: all of them are, or none.
  bool is_opaque() const;
  // Whether all sub-blocks are channels, one directly after the other (planes of BC4). The kernels for lossy slices
  // support only these.
  bool has_planes_of_channels() const;
  // Whether there can be transform slices: the format has a plane of luma and two of chroma, of BC4 blocks.
  bool can_transform() const;
  int most_sub_slices() const { return most_sub_slices_; }  // into which a tile can be divided

  uint32_t tile_of(const Component& component, int block_x, int block_y) const {
    return static_cast<uint32_t>(block_y / component.tile_rows()) * across_ + block_x / component.tile_columns();
  }
  // Calls call(tile) for each tile that contains some of these blocks, which are not empty.
  template <typename Call>
  void for_each_tile(const Component& component, const BlockRect& blocks, const Call& call) const {
    const int columns = component.tile_columns(), rows = component.tile_rows();
    const int first_x = blocks.x0 / columns, last_x = (blocks.x1 - 1) / columns, last_y = (blocks.y1 - 1) / rows;
    for (int y = blocks.y0 / rows; y <= last_y; ++y)
      for (int x = first_x; x <= last_x; ++x)
        call(static_cast<uint32_t>(y) * static_cast<uint32_t>(across_) + static_cast<uint32_t>(x));
  }
  // `slice.tiles` is 1. The result is empty if a tile at the edge has no such blocks.
  BlockRect blocks(const Component& component, const Slice& slice) const;
  // Calls call(offset) for each sub-block of a slice in the order of raw slices: tile by tile, component by component,
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
  size_t raw_bytes(const Slice& slice) const;       // of all its sub-blocks
  size_t most_raw_bytes(uint8_t sub_slices) const;  // of the largest slice
  // The average bytes of a tile; tiles at the edges have fewer than others.
  size_t usual_tile_bytes() const { return texture_bytes_ / tiles(); }

 private:
  TextureDesc texture_;
  int across_ = 0, down_ = 0;
  int component_count_ = 0;
  std::array<Component, kMostComponents> components_{};
  size_t texture_bytes_ = 0;
  int most_sub_slices_ = 8;
};

}  // namespace texcast::compact
