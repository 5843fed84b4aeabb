// camera_check.h — frames with known texels, and what a camera must make of them, by arithmetic of its own.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stream/camera.h"
#include "textures/block_pool.h"

namespace texcast::test {

// A frame of R G B: flat areas of 8 x 8 texels, which chroma at half size keeps.
inline stream::FrameRef rgb_frame(stream::BlockPool& pool, int width, int height, uint32_t seed) {
  const TextureDesc desc{TextureFormat::rgb8, width, height};
  stream::FrameRef frame = pool.acquire(texture_layout(desc).total_bytes);
  REQUIRE(frame);
  frame->desc = desc;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) {
        const auto hash = (static_cast<uint32_t>(x / 8 * 7 + y / 8 * 31 + c * 101) + seed * 977) * 2654435761u;
        frame->blocks[static_cast<size_t>(3 * (y * width + x) + c)] = static_cast<std::byte>(hash >> 24);
      }
  return frame;
}

// Y'CbCr of limited range by the definition of BT.601 or BT.709, in floating point.
inline std::array<double, 3> yuv_of(std::array<double, 3> rgb, bool is_601) {
  const double red = is_601 ? 0.299 : 0.2126, blue = is_601 ? 0.114 : 0.0722;
  const double luma = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2];
  return {16 + 219 * luma / 255, 128 + 224 * (rgb[2] - luma) / (2 * (1 - blue)) / 255,
          128 + 224 * (rgb[0] - luma) / (2 * (1 - red)) / 255};
}

// The sample of a texel in a camera's picture without gaps; `component`: Y, Cb, Cr, or B, G, R.
inline int sample_of(const std::vector<uint8_t>& picture, PixelFormat format, int width, int height, int x, int y,
                     int component) {
  const auto at = [&](int index) -> int { return picture.at(static_cast<size_t>(index)); };
  const int luma_bytes = width * height;
  switch (format) {
    case PixelFormat::nv12:
      return component == 0 ? at(y * width + x) : at(luma_bytes + y / 2 * width + x / 2 * 2 + component - 1);
    case PixelFormat::yuv420p:
      return component == 0 ? at(y * width + x)
                            : at(luma_bytes + (component - 1) * luma_bytes / 4 + y / 2 * (width / 2) + x / 2);
    case PixelFormat::yuyv422:
      return component == 0 ? at(2 * (y * width + x)) : at(4 * (y * width / 2 + x / 2) + 2 * component - 1);
    default: return at(4 * (y * width + x) + component);
  }
}

// The PSNR of a camera's picture against the frame, over all texels and components.
inline double psnr_of(const std::vector<uint8_t>& picture, PixelFormat format, int width, int height,
                      const stream::PooledFrame& frame) {
  double error = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      std::array<double, 3> want{};
      for (int c = 0; c < 3; ++c)
        want[static_cast<size_t>(c)] =
            std::to_integer<int>(frame.blocks[static_cast<size_t>(3 * (y * frame.desc.width + x) + c)]);
      if (format == PixelFormat::bgra)
        std::swap(want[0], want[2]);
      else
        want = yuv_of(want, height <= 576);
      for (int c = 0; c < 3; ++c) {
        const double difference = sample_of(picture, format, width, height, x, y, c) - want[static_cast<size_t>(c)];
        error += difference * difference;
      }
    }
  return 10 * std::log10(255.0 * 255.0 * 3 * width * height / std::max(error, 1e-9));
}

}  // namespace texcast::test
