#include "texcast/format.h"

#include <algorithm>

#include "base/ensure.h"

namespace texcast {
namespace {

struct FormatRow {
  TextureFormat format;
  std::string_view name;
  int planes;
  int chroma_across;  // luma texels to one chroma texel
  int chroma_down;
  std::array<int, 3> block_bytes;  // of each plane
  int channels;                    // of a decoded picture
  double bits_per_pixel;
  bool ycbcr = false;
  int block_width = 4;  // texels
  int block_height = 4;
};

constexpr std::array kRows = {
    FormatRow{TextureFormat::bc1, "bc1", 1, 1, 1, {8}, 3, 4},
    FormatRow{TextureFormat::ycocg_bc4_420, "ycocg-bc4", 3, 2, 2, {8, 8, 8}, 3, 6},
    FormatRow{TextureFormat::ycocg_bc4_422, "ycocg-bc4-422", 3, 2, 1, {8, 8, 8}, 3, 8},
    FormatRow{TextureFormat::ycocg_bc4_444, "ycocg-bc4-444", 3, 1, 1, {8, 8, 8}, 3, 12},
    FormatRow{TextureFormat::ycocg_dxt5, "ycocg-dxt5", 1, 1, 1, {16}, 3, 8},
    FormatRow{TextureFormat::bc3, "bc3", 1, 1, 1, {16}, 4, 8},
    FormatRow{TextureFormat::bc4, "bc4", 1, 1, 1, {8}, 1, 4},
    FormatRow{TextureFormat::ycocg_dxt5_alpha, "ycocg-dxt5-alpha", 2, 1, 1, {16, 8}, 4, 12},
    FormatRow{TextureFormat::bc1_ycbcr, "bc1-ycbcr", 1, 1, 1, {8}, 3, 4, true},
    FormatRow{TextureFormat::uyvy, "uyvy", 1, 1, 1, {4}, 3, 16, true, 2, 1},
    FormatRow{TextureFormat::yuyv, "yuyv", 1, 1, 1, {4}, 3, 16, true, 2, 1},
    FormatRow{TextureFormat::rgba8, "rgba8", 1, 1, 1, {4}, 3, 32, false, 1, 1},
    FormatRow{TextureFormat::rgb8, "rgb8", 1, 1, 1, {3}, 3, 24, false, 1, 1},
    FormatRow{TextureFormat::bgr8, "bgr8", 1, 1, 1, {3}, 3, 24, false, 1, 1},
};

const FormatRow& row(TextureFormat format) {
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const FormatRow& r) { return r.format == format; });
  ENSURE(found != kRows.end());
  return *found;
}

int divide_up(int value, int by) { return (value + by - 1) / by; }

}  // namespace

bool is_ycocg(TextureFormat format) { return row(format).planes == 3; }
bool is_ycbcr(TextureFormat format) { return row(format).ycbcr; }
bool is_compressed(TextureFormat format) { return row(format).block_height == 4; }
bool is_encoded(TextureFormat format) {
  return std::find(kTextureFormats.begin(), kTextureFormats.end(), format) != kTextureFormats.end();
}
ColorSpec usual_color(TextureFormat format) {
  return {ColorMatrix::bt709, is_ycbcr(format) ? ColorRange::limited : ColorRange::full};
}
int plane_count(TextureFormat format) { return row(format).planes; }
int channel_count(TextureFormat format) { return row(format).channels; }
bool reads_alpha(TextureFormat format) { return row(format).channels != 3; }
double bits_per_pixel(TextureFormat format) { return row(format).bits_per_pixel; }
std::string_view name(TextureFormat format) { return row(format).name; }

TextureLayout texture_layout(TextureFormat format, int width, int height) {
  ENSURE(width >= 1 && height >= 1 && width <= kMaxFrameSize && height <= kMaxFrameSize);
  const FormatRow& r = row(format);
  TextureLayout layout;
  layout.plane_count = r.planes;
  for (int p = 0; p < r.planes; ++p) {
    PlaneLayout& plane = layout.planes[static_cast<size_t>(p)];
    plane.width = divide_up(width, p == 0 ? 1 : r.chroma_across);
    plane.height = divide_up(height, p == 0 ? 1 : r.chroma_down);
    plane.block_width = r.block_width;
    plane.block_height = r.block_height;
    plane.blocks_x = divide_up(plane.width, plane.block_width);
    plane.blocks_y = divide_up(plane.height, plane.block_height);
    plane.block_bytes = r.block_bytes[static_cast<size_t>(p)];
    plane.offset = layout.total_bytes;
    plane.bytes = static_cast<size_t>(plane.blocks_x) * static_cast<size_t>(plane.blocks_y) *
                  static_cast<size_t>(plane.block_bytes);
    layout.total_bytes += plane.bytes;
  }
  return layout;
}

std::optional<TextureFormat> texture_format_from_name(std::string_view wanted) {
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const FormatRow& r) { return r.name == wanted; });
  if (wanted == "ycocg-bc4-420") return TextureFormat::ycocg_bc4_420;
  return found == kRows.end() ? std::nullopt : std::optional(found->format);
}

std::string list_texture_formats() {
  std::string list;
  for (const TextureFormat format : kTextureFormats) list += (list.empty() ? "" : ", ") + std::string(name(format));
  return list;
}

}  // namespace texcast
