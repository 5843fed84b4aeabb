// tile_frames.h — frames that change in known places, computed without the code under test.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"

namespace check {

// Bytes of a group of texels in a plane, and how many texels across and down share them: FFmpeg's layouts.
struct Samples {
  int plane, across, down, bytes;
};
inline std::vector<Samples> samples_of(texcast::PixelFormat format) {
  using texcast::PixelFormat;
  switch (format) {
    case PixelFormat::yuv420p: return {{0, 1, 1, 1}, {1, 2, 2, 1}, {2, 2, 2, 1}};
    case PixelFormat::nv12: return {{0, 1, 1, 1}, {1, 2, 2, 2}};
    case PixelFormat::yuv422p: return {{0, 1, 1, 1}, {1, 2, 1, 1}, {2, 2, 1, 1}};
    case PixelFormat::yuv444p: return {{0, 1, 1, 1}, {1, 1, 1, 1}, {2, 1, 1, 1}};
    case PixelFormat::yuyv422:
    case PixelFormat::uyvy422: return {{0, 2, 1, 4}};
    case PixelFormat::yuv420p10: return {{0, 1, 1, 2}, {1, 2, 2, 2}, {2, 2, 2, 2}};
    case PixelFormat::p010: return {{0, 1, 1, 2}, {1, 2, 2, 4}};
    case PixelFormat::rgb24: return {{0, 1, 1, 3}};
    case PixelFormat::rgba:
    case PixelFormat::bgra: return {{0, 1, 1, 4}};
    case PixelFormat::gray: return {{0, 1, 1, 1}};
    case PixelFormat::gray16: return {{0, 1, 1, 2}};
    case PixelFormat::rgba_half: return {{0, 1, 1, 8}};
  }
  return {};
}

inline size_t tiles_of(const texcast::FrameFormat& format) {
  return static_cast<size_t>((format.width + 63) / 64 * ((format.height + 31) / 32));
}
inline size_t tile_at(const texcast::FrameFormat& format, int x, int y) {
  return static_cast<size_t>(y / 32 * ((format.width + 63) / 64) + x / 64);
}

// Flips a bit of one of the texel's samples; `changed` gets 1 for its tile.
inline void change_texel(Frame& frame, int x, int y, std::mt19937& random, std::vector<uint8_t>& changed) {
  const auto all = samples_of(frame.format.pixel_format);
  const Samples& s = all[random() % all.size()];
  const auto p = static_cast<size_t>(s.plane);
  const int at = frame.placed.offset[p] + y / s.down * frame.placed.stride[p] + x / s.across * s.bytes +
                 static_cast<int>(random() % static_cast<unsigned>(s.bytes));
  frame.bytes[static_cast<size_t>(at)] ^= static_cast<std::byte>(1U << random() % 8);
  changed[tile_at(frame.format, x, y)] = 1;
}

}  // namespace check
