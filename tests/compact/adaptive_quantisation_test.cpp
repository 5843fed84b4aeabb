// Adaptive quantisation: lambda by how well motion compensation predicts a partition.
#include "compact/adaptive_quantisation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace texcast;
using namespace texcast::compact;

namespace {

constexpr int kColumns = 32, kRows = 16;  // sub-blocks

// A part of a noise picture whose origin is (x, y) in half pixels, brightened by `more`.
PixelPlane seen_from(int x, int y, int more) {
  std::mt19937 random(7);
  constexpr int kWide = kColumns * 4 + 64, kHigh = kRows * 4 + 64;
  std::vector<int> noise(size_t{kWide} * kHigh);
  for (int& value : noise) value = static_cast<int>(random() % 120) + 40;
  Component component;
  component.blocks_x = kColumns;
  component.blocks_y = kRows;
  PixelPlane plane(component);
  SourcePicture picture(kColumns * 4, kRows * 4);
  std::vector<uint8_t> gray(size_t{kColumns} * 4 * kRows * 4);
  for (int py = 0; py < kRows * 4; ++py)
    for (int px = 0; px < kColumns * 4; ++px) {
      const auto at = [&](int dx, int dy) {
        return noise[static_cast<size_t>((py + 32 + (y >> 1) + dy) * kWide + px + 32 + (x >> 1) + dx)];
      };
      const int value = (at(0, 0) + at(x & 1, y & 1) + 1) >> 1;
      gray[static_cast<size_t>(py) * kColumns * 4 + px] = static_cast<uint8_t>(value + more);
    }
  FrameView view{
      .format = {.pixel_format = PixelFormat::gray, .width = kColumns * 4, .height = kRows * 4, .color = kFullRange}};
  view.planes[0] = {reinterpret_cast<const std::byte*>(gray.data()), kColumns * 4};
  picture.draw(view, {0, 0, kColumns, kRows});
  plane.draw(picture, {0, 0, kColumns, kRows});
  return plane;
}

}  // namespace

TEST_CASE("adaptive quantisation: exact prediction, also at half pixels, keeps lambda") {
  const PixelPlane previous = seen_from(0, 0, 0);
  for (const MotionVector v :
       {MotionVector{0, 0}, MotionVector{6, -4}, MotionVector{5, 2}, MotionVector{4, -3}, MotionVector{-7, 3}}) {
    CAPTURE(v.x);
    CAPTURE(v.y);
    const std::array<MotionVector, 8> vectors{v, v, v, v, v, v, v, v};
    const LambdaWeights weights = lambda_weights({8, 4, 24, 12}, seen_from(v.x, v.y, 0), previous, vectors, 300);
    for (const uint8_t weight : weights) CHECK(weight == kFullLambda);
    const std::array<MotionVector, 8> none{};
    if (v != MotionVector{})
      for (const uint8_t weight : lambda_weights({8, 4, 24, 12}, seen_from(v.x, v.y, 0), previous, none, 300))
        CHECK(weight == 2 * kFullLambda);
  }
}

TEST_CASE("adaptive quantisation: lambda grows with the error to the power of 0.3, up to twice") {
  const PixelPlane previous = seen_from(0, 0, 0);
  constexpr int kLambda = 4800;  // 100 for each texel
  for (int more = 0; more < 60; more += 3) {
    CAPTURE(more);
    const double expected = std::clamp(std::pow((more * more + 0.1 * 100) / (0.5 * 100), 0.3), 1.0, 2.0);
    const LambdaWeights weights =
        lambda_weights({0, 0, 16, 8}, seen_from(0, 0, more), previous, std::array<MotionVector, 8>{}, kLambda);
    for (const uint8_t weight : weights) CHECK(std::abs(weight / 16.0 - expected) < 1 / 16.0);
  }
}
