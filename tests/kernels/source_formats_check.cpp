// Every source format, matrix and range that the kernels read, in inner blocks and at edges.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "check.h"
#include "texcast/image.h"

using namespace texcast;

namespace {

void check_source(PixelFormat pixel_format, ColorSpec color) {
  const std::vector<check::Size> sizes =
      check::tiny_only() ? std::vector<check::Size>{{13, 9}} : std::vector<check::Size>{{8, 8}, {127, 95}, {5, 3}};
  for (const auto size : sizes)
    check::check_all_patterns({.source = {pixel_format, size.width, size.height, color}},
                              fmt::format("bc1 range from {} matrix {} range {}", name(pixel_format),
                                          static_cast<int>(color.matrix), static_cast<int>(color.range)));
}

// IEC 61966-2-1: linear light, given as the bits of a half float, as the nearest byte of the sRGB curve.
int srgb_byte_of(uint16_t half_bits) {
  const double light = half_to_double(half_bits);
  if (std::isnan(light)) return 0;
  const double held = std::clamp(light, 0.0, 1.0);
  return static_cast<int>(
      std::lround(255 * (held <= 0.0031308 ? 12.92 * held : 1.055 * std::pow(held, 1 / 2.4) - 0.055)));
}

// The largest half float of each byte and the smallest of the next, and values outside 0 to 1 and NaN.
std::vector<uint16_t> halves_at_edges() {
  std::vector<uint16_t> halves = {0x3C01, 0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x8000, 0x8001, 0xBC00, 0xFC00, 0xFE00};
  for (uint16_t bits = 0; bits < 0x3C00; ++bits)
    if (const auto next = static_cast<uint16_t>(bits + 1); srgb_byte_of(bits) != srgb_byte_of(next))
      halves.insert(halves.end(), {bits, next});
  return halves;
}

// A frame with a block of one colour for each of them, and the same frame in bytes.
std::pair<check::Frame, check::Frame> frames_of(const std::vector<uint16_t>& halves) {
  constexpr int kAcross = 64;
  const int down = (static_cast<int>(halves.size()) + kAcross - 1) / kAcross;
  const auto blank = [&](PixelFormat pixels) {
    const FrameFormat format{pixels, 4 * kAcross, 4 * down, kFullRange};
    check::Frame frame{format, stages::place_source(format), {}};
    frame.bytes.assign(frame.placed.bytes, std::byte{0});
    return frame;
  };
  std::pair frames{blank(PixelFormat::rgba_half), blank(PixelFormat::gray)};
  auto& [light, bytes] = frames;
  for (int y = 0; y < 4 * down; ++y)
    for (int x = 0; x < 4 * kAcross; ++x) {
      const auto n = static_cast<size_t>(y / 4 * kAcross + x / 4);
      if (n >= halves.size()) continue;
      const auto at = [&](check::Frame& frame, int offset) {
        return &frame.bytes[static_cast<size_t>(frame.placed.offset[0] + y * frame.placed.stride[0] + offset)];
      };
      for (int c = 0; c < 3; ++c) {
        *at(light, 8 * x + 2 * c) = static_cast<std::byte>(halves[n] & 255);
        *at(light, 8 * x + 2 * c + 1) = static_cast<std::byte>(halves[n] >> 8);
      }
      *at(bytes, x) = static_cast<std::byte>(srgb_byte_of(halves[n]));
    }
  return frames;
}

}  // namespace

TEST_CASE("every source format in its usual range, and some in the other") {
  for (int f = 0; f < kPixelFormatCount; ++f) {
    const auto format = static_cast<PixelFormat>(f);
    check_source(format, {ColorMatrix::bt709, is_rgb(format) ? ColorRange::full : ColorRange::limited});
  }
  check_source(PixelFormat::nv12, {ColorMatrix::bt709, ColorRange::full});
  check_source(PixelFormat::rgb24, {ColorMatrix::bt709, ColorRange::limited});
}

TEST_CASE("every matrix") {
  for (const ColorMatrix matrix : {ColorMatrix::bt601, ColorMatrix::bt2020})
    check_source(PixelFormat::yuv420p10, {matrix, ColorRange::limited});
}

// Kernel and reference share the table of thresholds between bytes; this compares it with the formula.
TEST_CASE("half floats become the bytes of IEC 61966-2-1, on both sides of every threshold") {
  const std::vector<uint16_t> halves = halves_at_edges();
  REQUIRE(halves.size() == 10 + 2 * 255);
  const auto [light, bytes] = frames_of(halves);
  const stages::StageSettings settings{
      .source = light.format, .texture = TextureFormat::bc4, .method = Method::refine_once};
  const auto stage = stages::make_stage(check::device(), settings);
  CHECK(check::gives(*stage, light.bytes,
                     check::reference_blocks(bytes, {.texture = settings.texture, .method = settings.method}), 8,
                     "bc4 of half floats at the edges of bytes"));
}
