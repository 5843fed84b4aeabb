#include "compact/tile_grid.h"

#include <algorithm>

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

}  // namespace

bool TileGrid::can_cut(TextureFormat format) {
  const Format& row = format_row(format);
  for (int plane = 0; plane < row.plane_count; ++plane) {
    switch (row.planes[plane].coding) {
      case CodingId::bc1:
      case CodingId::bc3:
      case CodingId::bc4:
      case CodingId::bc5:
      case CodingId::bc1_ycbcr: break;
      default: return false;
    }
  }
  return true;
}

bool TileGrid::can_be_lossy(TextureFormat format) {
  if (!can_cut(format)) return false;
  const TileGrid grid({.format = format, .width = 4, .height = 4});
  for (int i = 0; i < grid.component_count(); ++i)
    if (grid.component(i).tables == TableSet::scaled_chroma) return false;
  return true;
}

TileGrid::TileGrid(const TextureDesc& texture)
    : texture_(texture),
      across_((texture.width + kTileWidth - 1) / kTileWidth),
      down_((texture.height + kTileHeight - 1) / kTileHeight) {
  REQUIRE_USE(can_cut(texture.format), "coded streams need textures in BC1, BC3, BC4 or BC5 blocks");
  const Format& row = format_row(texture.format);
  const TextureLayout layout = texture_layout(texture);
  texture_bytes_ = layout.total_bytes;
  for (int plane = 0; plane < row.plane_count; ++plane) {
    const PlaneLayout& at = layout.planes[plane];
    Component component{.tables = channel_tables(row, plane),
                        .blocks_x = at.blocks_x,
                        .blocks_y = at.blocks_y,
                        .across = row.planes[plane].across,
                        .down = row.planes[plane].down,
                        .offset = at.offset,
                        .stride = static_cast<size_t>(at.block_bytes)};
    const auto add = [&](SubBlockKind kind, TableSet tables, size_t offset) {
      component.kind = kind;
      component.tables = tables;
      component.offset = at.offset + offset;
      components_[component_count_++] = component;
    };
    switch (row.planes[plane].coding) {
      case CodingId::bc3:
        add(SubBlockKind::channel, channel_tables(row, plane), 0);
        add(SubBlockKind::four_color, is_scaled(row.model) ? TableSet::scaled_chroma : TableSet::color, 8);
        break;
      case CodingId::bc5:
        add(SubBlockKind::channel, TableSet::luma, 0);
        add(SubBlockKind::channel, TableSet::luma, 8);
        break;
      case CodingId::bc4: add(SubBlockKind::channel, channel_tables(row, plane), 0); break;
      default: add(SubBlockKind::color, TableSet::color, 0); break;
    }
    most_sub_slices_ = std::min(most_sub_slices_, component.tile_rows());
  }
}

bool TileGrid::has_planes_of_channels() const {
  return std::all_of(components_.begin(), components_.begin() + component_count_,
                     [](const Component& c) { return c.kind == SubBlockKind::channel && c.stride == 8; });
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
