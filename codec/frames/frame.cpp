#include "texcast/frame.h"

#include <algorithm>

#include "base/ensure.h"

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
}};

const FormatRow& row(PixelFormat format) {
  const auto index = static_cast<size_t>(format);
  ENSURE(index < kRows.size() && kRows[index].format == format);
  return kRows[index];
}

const PlaneShape& shape(PixelFormat format, int plane) {
  const FormatRow& found = row(format);
  ENSURE(plane >= 0 && plane < found.planes);
  return found.shape[static_cast<size_t>(plane)];
}

}  // namespace

bool is_rgb(PixelFormat format) { return row(format).rgb; }
bool has_alpha(const FrameFormat& f) {
  return !f.opaque && (f.pixel_format == PixelFormat::rgba || f.pixel_format == PixelFormat::bgra);
}
int plane_count(PixelFormat format) { return row(format).planes; }
std::string_view name(PixelFormat format) { return row(format).name; }

int plane_rows(const FrameFormat& format, int plane) {
  const int down = shape(format.pixel_format, plane).texels_down;
  return (format.height + down - 1) / down;
}

int plane_row_bytes(const FrameFormat& format, int plane) {
  const PlaneShape& s = shape(format.pixel_format, plane);
  return (format.width + s.texels_across - 1) / s.texels_across * s.group_bytes;
}

FramePlacement place_frame(const FrameFormat& format) {
  constexpr int kCacheLine = 64;
  FrameFormat padded = format;
  padded.width = (format.width + 63) / 64 * 64;
  padded.height = (format.height + 31) / 32 * 32 + 2;
  const int planes = plane_count(format.pixel_format);
  for (int p = 0; p < planes; ++p)  // a plane of half the width wants one step more
    while (plane_row_bytes(padded, p) % kCacheLine != 0) padded.width += 64;

  FramePlacement placed;
  for (int p = 0; p < planes; ++p) {
    const auto plane = static_cast<size_t>(p);
    placed.offset[plane] = static_cast<int>(placed.padded_bytes);
    placed.stride[plane] = plane_row_bytes(padded, p);
    placed.padded_rows[plane] = plane_rows(padded, p);
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
