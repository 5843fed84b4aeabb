#include "compact/tile_grid.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/misuse.h"

namespace texcast::compact {
namespace {

TableSet channel_tables(const Format& format, int plane) {
  switch (format.model) {
    case ColorModel::ycocg_planes:
      if (plane == 0) return TableSet::luma;
      return format.planes[plane].across == 1 ? TableSet::chroma_444 : TableSet::chroma;
    case ColorModel::scaled_ycocg: return TableSet::luma;
    case ColorModel::scaled_ycocg_alpha: return plane == 0 ? TableSet::luma : TableSet::alpha;
    case ColorModel::rgba: return TableSet::alpha;
    default: return TableSet::luma;
  }
}

bool is_scaled(ColorModel model) {
  return model == ColorModel::scaled_ycocg || model == ColorModel::scaled_ycocg_alpha;
}

struct Half {
  SubBlockKind kind{};
  TableSet tables{};
  size_t offset = 0;  // within a block
};

// How coded streams divide the blocks of a coding into sub-blocks, in coding order.
struct Division {
  uint8_t version = 0;  // of the codec that has the coding first; 0: none
  int count = 0;
  std::array<Half, 2> halves{};
};
Division one(uint8_t version, Half half) { return {version, 1, {half}}; }
Division two(uint8_t version, Half first, Half second) { return {version, 2, {first, second}}; }

Division division_of(const Format& row, int plane) {
  using enum SubBlockKind;
  constexpr uint8_t kFirst = kLosslessVersion, kMore = kMoreFormatsVersion;
  const CodingId coding = row.planes[plane].coding;
  const TableSet of_channel = channel_tables(row, plane);
  switch (coding) {
    case CodingId::bc1:
    case CodingId::bc1_ycbcr: return one(kFirst, {color, TableSet::color, 0});
    case CodingId::bc3:
      return two(kFirst, {channel, of_channel, 0},
                 {four_color, is_scaled(row.model) ? TableSet::scaled_chroma : TableSet::color, 8});
    case CodingId::bc4: return one(kFirst, {channel, of_channel, 0});
    case CodingId::bc5: return two(kFirst, {channel, TableSet::luma, 0}, {channel, TableSet::luma, 8});
    case CodingId::bc4_signed: return one(kMore, {channel, of_channel, 0});
    case CodingId::bc5_signed: return two(kMore, {channel, TableSet::luma, 0}, {channel, TableSet::luma, 8});
    case CodingId::etc2:
    case CodingId::etc2_a1: return one(kMore, {opaque, TableSet::etc, 0});
    case CodingId::etc2_alpha: return two(kMore, {opaque, TableSet::etc, 8}, {opaque, TableSet::eac, 0});
    case CodingId::eac_r11:
    case CodingId::eac_r11_signed: return one(kMore, {opaque, TableSet::eac, 0});
    case CodingId::eac_rg11:
    case CodingId::eac_rg11_signed: return two(kMore, {opaque, TableSet::eac, 0}, {opaque, TableSet::eac, 8});
    case CodingId::bc7: return two(kMore, {opaque, TableSet::bc7_low, 0}, {opaque, TableSet::bc7_high, 8});
    case CodingId::bc6h:
    case CodingId::bc6h_signed: return two(kMore, {opaque, TableSet::bc6h_low, 0}, {opaque, TableSet::bc6h_high, 8});
    case CodingId::astc_4x4: return two(kMore, {opaque, TableSet::astc_low, 0}, {opaque, TableSet::astc_high, 8});
    default: return {};
  }
}

// Whether the first two versions of the codec have the format. They interpret all fields of its sub-blocks.
bool is_interpreted(TextureFormat format) {
  const Format& row = format_row(format);
  for (int plane = 0; plane < row.plane_count; ++plane)
    if (division_of(row, plane).version != kLosslessVersion) return false;
  return true;
}

}  // namespace

bool TileGrid::can_cut(TextureFormat format) {
  const Format& row = format_row(format);
  for (int plane = 0; plane < row.plane_count; ++plane)
    if (division_of(row, plane).version == 0) return false;
  return true;
}

bool TileGrid::can_be_lossy(TextureFormat format) {
  return is_interpreted(format) && !is_scaled(format_row(format).model);
}

bool TileGrid::can_have_transform(TextureFormat format) {
  const Format& row = format_row(format);
  if (row.model != ColorModel::ycocg_planes || row.plane_count != 3) return false;
  return std::all_of(row.planes.begin(), row.planes.begin() + row.plane_count,
                     [](const FormatPlane& plane) { return plane.coding == CodingId::bc4; });
}

uint8_t TileGrid::codec_version(TextureFormat format, bool is_lossy, bool has_transform) {
  if (!is_interpreted(format)) return kMoreFormatsVersion;
  if (is_lossy && has_transform) return kTransformVersion;
  return is_lossy ? kLossyVersion : kLosslessVersion;
}

TileGrid::TileGrid(const TextureDesc& texture)
    : texture_(texture),
      across_((texture.width + kTileWidth - 1) / kTileWidth),
      down_((texture.height + kTileHeight - 1) / kTileHeight) {
  REQUIRE_USE(can_cut(texture.format), "coded streams need textures in blocks of 4 x 4 texels");
  const Format& row = format_row(texture.format);
  const TextureLayout layout = texture_layout(texture);
  texture_bytes_ = layout.total_bytes;
  for (int plane = 0; plane < row.plane_count; ++plane) {
    const PlaneLayout& at = layout.planes[plane];
    const Division division = division_of(row, plane);
    for (const Half& half : std::span(division.halves).first(static_cast<size_t>(division.count)))
      components_[component_count_++] = {.kind = half.kind,
                                         .tables = half.tables,
                                         .blocks_x = at.blocks_x,
                                         .blocks_y = at.blocks_y,
                                         .across = row.planes[plane].across,
                                         .down = row.planes[plane].down,
                                         .offset = at.offset + half.offset,
                                         .stride = static_cast<size_t>(at.block_bytes)};
    most_sub_slices_ = std::min(most_sub_slices_, kTileHeight / 4 / row.planes[plane].down);
  }
}

bool TileGrid::is_opaque() const { return components_[0].kind == SubBlockKind::opaque; }

bool TileGrid::has_planes_of_channels() const {
  return std::all_of(components_.begin(), components_.begin() + component_count_,
                     [](const Component& c) { return c.kind == SubBlockKind::channel && c.stride == 8; });
}

bool TileGrid::can_transform() const {
  return component_count_ == 3 && has_planes_of_channels() && components_[0].tables == TableSet::luma &&
         (components_[1].tables == TableSet::chroma || components_[1].tables == TableSet::chroma_444);
}

BlockRect TileGrid::blocks(const Component& component, const Slice& slice) const {
  const int x = static_cast<int>(slice.tile % across_) * component.tile_columns();
  const int rows = component.tile_rows() / slice.sub_slices;
  const int y = static_cast<int>(slice.tile / across_) * component.tile_rows() + slice.sub_slice * rows;
  BlockRect rect{.x0 = std::min(x, component.blocks_x),
                 .y0 = std::min(y, component.blocks_y),
                 .x1 = std::min(x + component.tile_columns(), component.blocks_x),
                 .y1 = std::min(y + rows, component.blocks_y)};
  return rect;
}

size_t TileGrid::raw_bytes(const Slice& slice) const {
  size_t bytes = 0;
  for (uint32_t tile = 0; tile < slice.tiles; ++tile)
    for (int i = 0; i < component_count_; ++i)
      bytes += static_cast<size_t>(blocks(components_[i], slice.only(tile)).count()) * 8;
  return bytes;
}

size_t TileGrid::most_raw_bytes(uint8_t sub_slices) const {
  size_t bytes = 0;
  for (int i = 0; i < component_count_; ++i)
    bytes += static_cast<size_t>(components_[i].tile_columns()) * (components_[i].tile_rows() / sub_slices) * 8;
  return bytes;
}

}  // namespace texcast::compact
