#include "texcast/format.h"

#include <algorithm>
#include <bit>

#include "base/misuse.h"

namespace texcast {
namespace {

int divide_up(int value, int by) { return (value + by - 1) / by; }

}  // namespace

int channel_count(ColorModel model) {
  switch (model) {
    case ColorModel::gray: return 1;
    case ColorModel::red_green: return 2;
    case ColorModel::rgb:
    case ColorModel::ycocg_planes:
    case ColorModel::scaled_ycocg:
    case ColorModel::ycbcr: return 3;
    case ColorModel::rgba:
    case ColorModel::scaled_ycocg_alpha: return 4;
  }
  misused(__func__, "there is no such colour model");
}

bool reads_alpha(ColorModel model) {
  return model == ColorModel::gray || model == ColorModel::rgba || model == ColorModel::scaled_ycocg_alpha;
}

const Coding& plane_coding(TextureFormat format, size_t plane) {
  const Format& row = format_row(format);
  REQUIRE_USE(plane < static_cast<size_t>(row.plane_count), "the format does not have so many planes");
  return coding(row.planes[plane].coding);
}

bool is_planar_ycocg(TextureFormat format) { return format_row(format).model == ColorModel::ycocg_planes; }
bool is_ycbcr(TextureFormat format) { return format_row(format).model == ColorModel::ycbcr; }
std::vector<std::string_view> texture_families(TextureFormat format) {
  std::vector<std::string_view> families;
  for (size_t plane = 0; plane < static_cast<size_t>(plane_count(format)); ++plane) {
    const std::string_view family = plane_coding(format, plane).gl.family;
    if (!family.empty() && std::ranges::find(families, family) == families.end()) families.push_back(family);
  }
  return families;
}

bool is_compressed(TextureFormat format) { return plane_coding(format, 0).is_compressed; }
bool is_encoded(TextureFormat format) { return format_row(format).is_encoded(); }
int plane_count(TextureFormat format) { return format_row(format).plane_count; }
int channel_count(TextureFormat format) { return channel_count(format_row(format).model); }
bool reads_alpha(TextureFormat format) { return reads_alpha(format_row(format).model); }
std::string_view name(TextureFormat format) { return format_row(format).name; }

ColorSpec usual_color(TextureFormat format) {
  const bool is_light = plane_coding(format, 0).sample_type == SampleType::half;
  return {.range = is_ycbcr(format) ? ColorRange::limited : ColorRange::full,
          .transfer = is_light ? kLinearTransfer : ColorSpec{}.transfer};
}

int most_levels(int width, int height) {
  REQUIRE_USE(width >= 1 && height >= 1 && width <= kMaxFrameSize && height <= kMaxFrameSize,
              "a texture has sides of 1 to 16384 texels");
  return std::bit_width(static_cast<unsigned>(std::max(width, height)));
}

TextureDesc level_of(const TextureDesc& desc, int level) {
  REQUIRE_USE(level >= 0 && level < most_levels(desc.width, desc.height), "the texture has no such mip level");
  TextureDesc smaller = desc;
  smaller.width = std::max(desc.width >> level, 1);
  smaller.height = std::max(desc.height >> level, 1);
  return smaller;
}

double bits_per_pixel(TextureFormat format) {
  const Format& row = format_row(format);
  double bits = 0;
  for (int p = 0; p < row.plane_count; ++p) {
    const FormatPlane& plane = row.planes[static_cast<size_t>(p)];
    const Coding& blocks = coding(plane.coding);
    bits += 8.0 * blocks.block_bytes / (blocks.block_width * blocks.block_height * plane.across * plane.down);
  }
  return bits;
}

TextureLayout texture_layout(TextureFormat format, int width, int height) {
  REQUIRE_USE(width >= 1 && height >= 1 && width <= kMaxFrameSize && height <= kMaxFrameSize,
              "a texture has sides of 1 to 16384 texels");
  const Format& row = format_row(format);
  TextureLayout layout;
  layout.plane_count = row.plane_count;
  for (size_t p = 0; p < static_cast<size_t>(row.plane_count); ++p) {
    const Coding& blocks = coding(row.planes[p].coding);
    PlaneLayout& plane = layout.planes[p];
    plane.width = divide_up(width, row.planes[p].across);
    plane.height = divide_up(height, row.planes[p].down);
    plane.block_width = blocks.block_width;
    plane.block_height = blocks.block_height;
    plane.blocks_x = divide_up(plane.width, plane.block_width);
    plane.blocks_y = divide_up(plane.height, plane.block_height);
    plane.block_bytes = blocks.block_bytes;
    plane.offset = layout.total_bytes;
    plane.bytes = static_cast<size_t>(plane.blocks_x) * static_cast<size_t>(plane.blocks_y) *
                  static_cast<size_t>(plane.block_bytes);
    layout.total_bytes += plane.bytes;
  }
  return layout;
}

std::optional<TextureFormat> texture_format_from_name(std::string_view wanted) {
  if (wanted == "ycocg-bc4-420") return TextureFormat::ycocg_bc4_420;
  const auto found = std::ranges::find(formats(), wanted, &Format::name);
  return found == formats().end() ? std::nullopt : std::optional(found->id);
}

std::string list_texture_formats() {
  std::string list;
  for (const TextureFormat format : encoded_formats()) list += (list.empty() ? "" : ", ") + std::string(name(format));
  return list;
}

}  // namespace texcast
