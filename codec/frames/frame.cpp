#include "texcast/frame.h"

#include <algorithm>

#include "base/misuse.h"

namespace texcast {
namespace {

// Samples of one plane: bytes of a group of texels, and how many texels across and down share the group.
struct PlaneShape {
  int group_bytes = 0;
  int texels_across = 1;
  int texels_down = 1;
};

struct FormatRow {
  PixelFormat format;
  std::string_view name;
  bool rgb;
  int planes;
  std::array<PlaneShape, 3> shape;
};

constexpr std::array<FormatRow, kPixelFormatCount> kRows = {{
    {PixelFormat::yuv420p, "yuv420p", false, 3, {{{1, 1, 1}, {1, 2, 2}, {1, 2, 2}}}},
    {PixelFormat::nv12, "nv12", false, 2, {{{1, 1, 1}, {2, 2, 2}, {}}}},
    {PixelFormat::yuv422p, "yuv422p", false, 3, {{{1, 1, 1}, {1, 2, 1}, {1, 2, 1}}}},
    {PixelFormat::yuv444p, "yuv444p", false, 3, {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}},
    {PixelFormat::yuyv422, "yuyv422", false, 1, {{{4, 2, 1}, {}, {}}}},
    {PixelFormat::uyvy422, "uyvy422", false, 1, {{{4, 2, 1}, {}, {}}}},
    {PixelFormat::yuv420p10, "yuv420p10le", false, 3, {{{2, 1, 1}, {2, 2, 2}, {2, 2, 2}}}},
    {PixelFormat::p010, "p010le", false, 2, {{{2, 1, 1}, {4, 2, 2}, {}}}},
    {PixelFormat::rgb24, "rgb24", true, 1, {{{3, 1, 1}, {}, {}}}},
    {PixelFormat::rgba, "rgba", true, 1, {{{4, 1, 1}, {}, {}}}},
    {PixelFormat::bgra, "bgra", true, 1, {{{4, 1, 1}, {}, {}}}},
    {PixelFormat::gray, "gray", false, 1, {{{1, 1, 1}, {}, {}}}},
    {PixelFormat::gray16, "gray16le", false, 1, {{{2, 1, 1}, {}, {}}}},
    {PixelFormat::rgba_half, "rgbaf16le", true, 1, {{{8, 1, 1}, {}, {}}}},
}};

const FormatRow& row(PixelFormat format) {
  const auto index = static_cast<size_t>(format);
  REQUIRE_USE(index < kRows.size() && kRows[index].format == format, "there is no such pixel format");
  return kRows[index];
}

const PlaneShape& shape(PixelFormat format, int plane) {
  const FormatRow& found = row(format);
  REQUIRE_USE(plane >= 0 && plane < found.planes, "the pixel format has no such plane");
  return found.shape[static_cast<size_t>(plane)];
}

int rows_of(const PlaneShape& s, int height) { return (height + s.texels_down - 1) / s.texels_down; }
int row_bytes_of(const PlaneShape& s, int width) {
  return (width + s.texels_across - 1) / s.texels_across * s.group_bytes;
}

void require_sides(const FrameFormat& f) {
  REQUIRE_USE(f.width >= 1 && f.height >= 1 && f.width <= kMaxFrameSize && f.height <= kMaxFrameSize,
              "a frame has sides of 1 to 16384 texels");
}

}  // namespace

bool is_rgb(PixelFormat format) { return row(format).rgb; }
bool has_alpha(const FrameFormat& f) {
  return !f.opaque && (f.pixel_format == PixelFormat::rgba || f.pixel_format == PixelFormat::bgra);
}
int plane_count(PixelFormat format) { return row(format).planes; }
std::string_view name(PixelFormat format) { return row(format).name; }

int plane_rows(const FrameFormat& format, int plane) {
  require_sides(format);
  return rows_of(shape(format.pixel_format, plane), format.height);
}

int plane_row_bytes(const FrameFormat& format, int plane) {
  require_sides(format);
  return row_bytes_of(shape(format.pixel_format, plane), format.width);
}

FramePlacement place_frame(const FrameFormat& format) {
  constexpr int kCacheLine = 64;
  require_sides(format);
  const int planes = plane_count(format.pixel_format);
  int padded_width = (format.width + 63) / 64 * 64;
  const int padded_height = (format.height + 31) / 32 * 32 + 2;
  for (int p = 0; p < planes; ++p)  // a plane of half the width needs one more alignment step
    while (row_bytes_of(shape(format.pixel_format, p), padded_width) % kCacheLine != 0) padded_width += 64;

  FramePlacement placed;
  for (int p = 0; p < planes; ++p) {
    const auto plane = static_cast<size_t>(p);
    placed.offset[plane] = static_cast<int>(placed.padded_bytes);
    placed.stride[plane] = row_bytes_of(shape(format.pixel_format, p), padded_width);
    placed.padded_rows[plane] = rows_of(shape(format.pixel_format, p), padded_height);
    const auto stride = static_cast<size_t>(placed.stride[plane]);
    const auto whole = static_cast<size_t>(placed.stride[0]);
    placed.bytes = placed.padded_bytes + stride * static_cast<size_t>(plane_rows(format, p));
    placed.bytes = (placed.bytes + whole - 1) / whole * whole;
    placed.padded_bytes += stride * static_cast<size_t>(placed.padded_rows[plane]);
  }
  return placed;
}

std::optional<PixelFormat> pixel_format_from_name(std::string_view wanted) {
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const FormatRow& r) { return r.name == wanted; });
  return found == kRows.end() ? std::nullopt : std::optional(found->format);
}

}  // namespace texcast
