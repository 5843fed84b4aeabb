// Mip levels of textures: encoded together, each is what it would be by itself.
#include "stream/mip_encoder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "stream/resized_source.h"
#include "texcast/decoder.h"

using namespace texcast;

namespace {

FrameFormat format_of(PixelFormat pixels, int width, int height) {
  return {.pixel_format = pixels, .width = width, .height = height, .color = kFullRange};
}

// Texels that differ from their neighbours, and rows that differ.
std::vector<std::byte> texels_of(const FrameFormat& format) {
  std::vector<std::byte> bytes(static_cast<size_t>(plane_row_bytes(format, 0) * format.height));
  uint32_t state = 5;
  for (std::byte& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(64 + (state >> 25));
  }
  return bytes;
}

FrameView view_of(const FrameFormat& format, const std::vector<std::byte>& bytes) {
  FrameView view{.format = format, .planes = {}};
  view.planes[0] = {bytes.data(), plane_row_bytes(format, 0)};
  return view;
}

std::vector<std::byte> encoded(EncoderSettings settings, const FrameView& frame) {
  settings.source = frame.format;
  const auto encoder = make_encoder(settings);
  encoder->submit(frame, {});
  const EncodedFrame done = encoder->next();
  return {done.texture.blocks.begin(), done.texture.blocks.end()};
}

}  // namespace

TEST_CASE("levels that are encoded together have the blocks of levels encoded by themselves") {
  struct Case {
    TextureFormat texture;
    PixelFormat source, level;
    int channels;
  };
  for (const auto& [texture, source, level_pixels, channels] :
       {Case{TextureFormat::bc1, PixelFormat::rgb24, PixelFormat::rgb24, 3},
        Case{TextureFormat::bc7, PixelFormat::rgba, PixelFormat::rgba, 4},
        Case{TextureFormat::bc4, PixelFormat::gray, PixelFormat::gray, 1},
        Case{TextureFormat::astc_6x6, PixelFormat::rgba, PixelFormat::rgba, 4},
        Case{TextureFormat::ycocg_bc4_420, PixelFormat::rgb24, PixelFormat::rgb24, 3}})
    for (const auto& [width, height] : {std::pair{53, 38}, {8, 70}, {70, 1}}) {
      CAPTURE(name(texture));
      CAPTURE(width);
      const FrameFormat format = format_of(source, width, height);
      const std::vector<std::byte> texels = texels_of(format);
      const FrameView picture = view_of(format, texels);
      const EncoderSettings settings{.source = format, .texture = texture, .device = "cpu-reference"};
      const stream::MipSettings mips{.filter = MipFilter::kaiser};
      stream::MipEncoder encoder(settings, mips, 1);
      encoder.submit(picture);
      const stream::MipLevels levels = encoder.next();
      REQUIRE(levels.views.size() == static_cast<size_t>(most_levels(width, height) - 1));
      DecodedImage whole;
      convert_to_channels(picture, channels, whole);
      for (size_t n = 0; n < std::min<size_t>(levels.views.size(), 2); ++n) {  // those filtered from the picture
        const TextureDesc& desc = levels.views[n].desc;
        CHECK(desc == level_of({.format = texture, .width = width, .height = height}, static_cast<int>(n) + 1));
        DecodedImage level;
        scale(whole, stream::mip_rules(mips, texture, format), desc.width, desc.height, level);
        std::vector<std::byte> bytes(level.pixels.size());
        std::memcpy(bytes.data(), level.pixels.data(), bytes.size());
        CHECK(levels.blocks[n] == encoded(settings, view_of(format_of(level_pixels, desc.width, desc.height), bytes)));
      }
    }
}

TEST_CASE("levels of several pictures in flight come in order") {
  const FrameFormat format = format_of(PixelFormat::rgb24, 24, 16);
  const EncoderSettings settings{
      .source = format, .texture = TextureFormat::bc1, .device = "cpu-reference", .frames_in_flight = 3};
  stream::MipEncoder encoder(settings, {}, 0);
  std::vector<std::vector<std::byte>> last;
  for (int i = 0; i < 3; ++i) {
    const std::vector<std::byte> flat(24 * 16 * 3, static_cast<std::byte>(80 * i));
    encoder.submit(view_of(format, flat));
  }
  for (int i = 0; i < 3; ++i) {
    const stream::MipLevels levels = encoder.next();
    DecodedImage smallest;
    decode_texture(levels.views.back(), smallest);
    REQUIRE(smallest.pixels.size() == 3);
    for (const uint8_t sample : smallest.pixels) CHECK(std::abs(sample - 80 * i) <= 4);
  }
}

TEST_CASE("the nearest power of two is nearest by its ratio") {
  for (const auto& [side, power] : {std::pair{1, 1},
                                    {2, 2},
                                    {3, 4},
                                    {5, 4},
                                    {6, 8},
                                    {90, 64},
                                    {91, 128},
                                    {1000, 1024},
                                    {11585, 8192},
                                    {11586, 16384},
                                    {16384, 16384}})
    CHECK(stream::nearest_power_of_two(side) == power);
}

TEST_CASE("a picture of one texel has no other levels") {
  const FrameFormat format = format_of(PixelFormat::rgb24, 1, 1);
  stream::MipEncoder encoder({.source = format, .texture = TextureFormat::bc1, .device = "cpu-reference"}, {}, 0);
  encoder.submit(view_of(format, texels_of(format)));
  CHECK(encoder.next().views.empty());
}
