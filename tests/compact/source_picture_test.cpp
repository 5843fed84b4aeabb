// Compares source pictures, drawn many pixels at a time, with ref/convert.h, which converts single pixels.
#include "compact/source_picture.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "ref/convert.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

// The size of the parts in which pictures are drawn.
void check_drawn(const FrameView& frame, int across = 64, int down = 32) {
  const int width = frame.format.width, height = frame.format.height;
  const ref::FrameReader reader(frame);
  SourcePicture picture(width, height);
  for (int y = 0; y < height; y += down)
    for (int x = 0; x < width; x += across)
      picture.draw(frame, {x / 4, y / 4, (std::min(x + across, width) + 3) / 4, (std::min(y + down, height) + 3) / 4});
  for (int y = -1; y < height + 4; ++y)
    for (int x = -1; x < (width + 3) / 4 * 4; ++x) {
      const auto rgb = reader.rgb(x, y);
      const uint8_t* const pixel = picture.pixel(x, y);
      REQUIRE((pixel[0] == rgb[0] && pixel[1] == rgb[1] && pixel[2] == rgb[2] && pixel[3] == 0));
      if (x >= 0) REQUIRE(picture.luma_row(y)[x] == (rgb[0] + 2 * rgb[1] + rgb[2] + 2) / 4);
    }
}

}  // namespace

TEST_CASE("source picture: all formats have the right pixels, and the edge is repeated") {
  constexpr int kWidth = 141, kHeight = 37;
  std::mt19937 random(1);
  std::vector<std::byte> samples(size_t{kWidth + 1} * (kHeight + 1) * 10);
  for (std::byte& sample : samples) sample = static_cast<std::byte>(random());
  for (const PixelFormat format :
       {PixelFormat::yuv420p, PixelFormat::nv12, PixelFormat::yuv422p, PixelFormat::yuv444p, PixelFormat::yuyv422,
        PixelFormat::yuv420p10, PixelFormat::rgb24, PixelFormat::rgba, PixelFormat::bgra, PixelFormat::gray})
    for (const ColorRange range : {ColorRange::full, ColorRange::limited})
      for (const int less : {0, 1, 2, 5}) {
        CAPTURE(static_cast<int>(format));
        CAPTURE(static_cast<int>(range));
        CAPTURE(less);
        // Planes may share the same bytes.
        const auto* const bytes = samples.data();
        check_drawn({{format, kWidth - less, kHeight - less, {ColorMatrix::bt709, range}},
                     {{{bytes, (kWidth + 1) * 8}, {bytes + 5, (kWidth + 1) * 4}, {bytes + 90, (kWidth + 1) * 4}}}},
                    less == 1 ? 16 : 64);
      }
}

TEST_CASE("source picture: a large picture at once") {
  constexpr int kWidth = 531, kHeight = 70;
  std::mt19937 random(2);
  std::vector<std::byte> samples(size_t{kWidth} * kHeight * 3);
  for (std::byte& sample : samples) sample = static_cast<std::byte>(random());
  for (const PixelFormat format : {PixelFormat::rgb24, PixelFormat::gray})
    check_drawn({{format, kWidth, kHeight, kFullRange}, {{{samples.data(), kWidth * 3}}}}, 1024, 1024);
}

TEST_CASE("source picture: every luma with every chroma") {
  std::vector<uint8_t> luma(size_t{256} * 256), u(luma.size()), v(luma.size());
  for (size_t i = 0; i < luma.size(); ++i) {
    luma[i] = static_cast<uint8_t>(i % 256);
    u[i] = static_cast<uint8_t>(i / 256);
    v[i] = static_cast<uint8_t>(i / 256 * 7);
  }
  const auto plane = [](const std::vector<uint8_t>& of) {
    return PlaneView{reinterpret_cast<const std::byte*>(of.data()), 256};
  };
  for (const ColorMatrix matrix : {ColorMatrix::bt601, ColorMatrix::bt709, ColorMatrix::bt2020})
    for (const ColorRange range : {ColorRange::full, ColorRange::limited})
      // Parts that are narrow are converted by the code for every machine.
      for (const int across : {64, 16})
        check_drawn({{PixelFormat::yuv444p, 256, 256, {matrix, range}}, {{plane(luma), plane(u), plane(v)}}}, across);
}
