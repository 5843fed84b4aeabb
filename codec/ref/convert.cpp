#include "ref/convert.h"

#include <algorithm>

#include "base/ensure.h"
#include "frames/require_frame.h"

namespace texcast::ref {
namespace {

int to_byte(int fixed_point) { return std::clamp(fixed_point / kByteStep, 0, 255); }

}  // namespace

FrameReader::FrameReader(const FrameView& frame)
    : frame_(frame), conversion_(color_conversion(frame.format.pixel_format, frame.format.color)) {
  require_readable(frame, __func__);
}

// The three stored samples of a texel: Y U V, or R G B.
std::array<int, 3> FrameReader::samples(int x, int y) const {
  const auto byte = [&](int plane, int offset, int row) {
    const PlaneView& p = frame_.planes[static_cast<size_t>(plane)];
    return std::to_integer<int>(p.data[row * p.stride_bytes + offset]);
  };
  const auto word = [&](int plane, int offset, int row) {
    return byte(plane, offset, row) | byte(plane, offset + 1, row) << 8;
  };
  const int half_x = x / 2, half_y = y / 2;
  switch (frame_.format.pixel_format) {
    case PixelFormat::yuv420p: return {byte(0, x, y), byte(1, half_x, half_y), byte(2, half_x, half_y)};
    case PixelFormat::nv12: return {byte(0, x, y), byte(1, 2 * half_x, half_y), byte(1, 2 * half_x + 1, half_y)};
    case PixelFormat::yuv422p: return {byte(0, x, y), byte(1, half_x, y), byte(2, half_x, y)};
    case PixelFormat::yuv444p: return {byte(0, x, y), byte(1, x, y), byte(2, x, y)};
    case PixelFormat::yuyv422: return {byte(0, 2 * x, y), byte(0, 4 * half_x + 1, y), byte(0, 4 * half_x + 3, y)};
    case PixelFormat::uyvy422: return {byte(0, 2 * x + 1, y), byte(0, 4 * half_x, y), byte(0, 4 * half_x + 2, y)};
    case PixelFormat::yuv420p10:
      return {word(0, 2 * x, y) & 1023, word(1, 2 * half_x, half_y) & 1023, word(2, 2 * half_x, half_y) & 1023};
    case PixelFormat::p010:
      return {word(0, 2 * x, y) >> 6, word(1, 4 * half_x, half_y) >> 6, word(1, 4 * half_x + 2, half_y) >> 6};
    case PixelFormat::rgb24: return {byte(0, 3 * x, y), byte(0, 3 * x + 1, y), byte(0, 3 * x + 2, y)};
    case PixelFormat::rgba: return {byte(0, 4 * x, y), byte(0, 4 * x + 1, y), byte(0, 4 * x + 2, y)};
    case PixelFormat::bgra: return {byte(0, 4 * x + 2, y), byte(0, 4 * x + 1, y), byte(0, 4 * x, y)};
    case PixelFormat::gray: return {byte(0, x, y), conversion_.chroma_offset, conversion_.chroma_offset};
  }
  ENSURE(false);
}

std::array<int, 3> FrameReader::rgb(int x, int y) const {
  x = std::clamp(x, 0, frame_.format.width - 1);
  y = std::clamp(y, 0, frame_.format.height - 1);
  const auto s = samples(x, y);
  const ColorConversion& c = conversion_;
  const auto luma = [&](int sample) { return (sample - c.luma_offset) * c.luma_scale + kByteStep / 2; };
  if (is_rgb(frame_.format.pixel_format)) return {to_byte(luma(s[0])), to_byte(luma(s[1])), to_byte(luma(s[2]))};
  const int u = s[1] - c.chroma_offset, v = s[2] - c.chroma_offset;
  return {to_byte(luma(s[0]) + c.red_v * v), to_byte(luma(s[0]) + c.green_u * u + c.green_v * v),
          to_byte(luma(s[0]) + c.blue_u * u)};
}

int FrameReader::alpha(int x, int y) const {
  if (!has_alpha(frame_.format)) return 255;
  x = std::clamp(x, 0, frame_.format.width - 1);
  y = std::clamp(y, 0, frame_.format.height - 1);
  return std::to_integer<int>(frame_.planes[0].data[y * frame_.planes[0].stride_bytes + 4 * x + 3]);
}

int FrameReader::luma(int x, int y) const {
  if (is_rgb(frame_.format.pixel_format)) {
    const auto [r, g, b] = rgb(x, y);
    return (13933 * r + 46871 * g + 4732 * b + 32768) >> 16;
  }
  x = std::clamp(x, 0, frame_.format.width - 1);
  y = std::clamp(y, 0, frame_.format.height - 1);
  return to_byte((samples(x, y)[0] - conversion_.luma_offset) * conversion_.luma_scale + kByteStep / 2);
}

int FrameReader::alpha_or_luma(int x, int y) const { return has_alpha(frame_.format) ? alpha(x, y) : luma(x, y); }

ChannelBlock FrameReader::alpha_block(int block_x, int block_y) const {
  ChannelBlock block{};
  for (int i = 0; i < 16; ++i) block[static_cast<size_t>(i)] = alpha(4 * block_x + i % 4, 4 * block_y + i / 4);
  return block;
}

ChannelBlock FrameReader::alpha_or_luma_block(int block_x, int block_y) const {
  ChannelBlock block{};
  for (int i = 0; i < 16; ++i) block[static_cast<size_t>(i)] = alpha_or_luma(4 * block_x + i % 4, 4 * block_y + i / 4);
  return block;
}

RgbBlock FrameReader::block(int block_x, int block_y) const {
  RgbBlock block{};
  for (int i = 0; i < 16; ++i) {
    const auto [r, g, b] = rgb(4 * block_x + i % 4, 4 * block_y + i / 4);
    const auto lane = static_cast<size_t>(i);
    block.r[lane] = r;
    block.g[lane] = g;
    block.b[lane] = b;
  }
  return block;
}

}  // namespace texcast::ref
