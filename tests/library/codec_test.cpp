// Encoders, decoders and transcoders through the library. What they compute is tested elsewhere; here, that a program
// that links it gets there.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "texcast/texcast.h"

using namespace texcast;

namespace {

constexpr int kWidth = 36, kHeight = 20;

FrameFormat rgba() { return {.pixel_format = PixelFormat::rgba, .width = kWidth, .height = kHeight}; }

std::vector<std::byte> one_color(uint8_t r, uint8_t g, uint8_t b) {
  std::vector<std::byte> pixels;
  for (int i = 0; i < kWidth * kHeight; ++i)
    for (const int sample : {int{r}, int{g}, int{b}, 255}) pixels.push_back(static_cast<std::byte>(sample));
  return pixels;
}

}  // namespace

TEST_CASE("a program sees the library's version in header and library") {
  CHECK(std::string(version()) == TEXCAST_VERSION);
  CHECK(std::string(TEXCAST_VERSION) == std::to_string(TEXCAST_VERSION_MAJOR) + "." +
                                            std::to_string(TEXCAST_VERSION_MINOR) + "." +
                                            std::to_string(TEXCAST_VERSION_PATCH));
}

TEST_CASE("a frame goes in, and comes back as the color that it had") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_dxt5, TextureFormat::ycocg_bc4_444}) {
    CAPTURE(name(format));
    const auto encoder = make_encoder({.source = rgba(), .texture = format, .device = "cpu-reference"});
    const auto pixels = one_color(33, 130, 200);  // of the 5-6-5 colors, so that BC1 has it
    FrameView frame{.format = rgba()};
    frame.planes[0] = {.data = pixels.data(), .stride_bytes = 4 * kWidth};
    encoder->submit(frame, {.pts = std::chrono::milliseconds(40)});
    const EncodedFrame encoded = encoder->next();
    CHECK(encoded.times.pts == std::chrono::milliseconds(40));
    CHECK(encoded.texture.blocks.size() == texture_layout(format, kWidth, kHeight).total_bytes);
    DecodedImage image;
    decode_texture(encoded.texture, image);
    REQUIRE(image.width == kWidth);
    for (size_t i = 0; i < image.pixels.size(); i += static_cast<size_t>(image.channels)) {
      CHECK(std::abs(image.pixels[i] - 33) <= 2);
      CHECK(std::abs(image.pixels[i + 1] - 130) <= 2);
      CHECK(std::abs(image.pixels[i + 2] - 200) <= 4);
    }
  }
}

TEST_CASE("devices can be listed, also where there are none") {
  for (const DeviceInfo& device : list_devices()) CHECK(!device.name.empty());
  CHECK(choose_device("cpu-reference").cpu_reference);
  CHECK_THROWS_AS(choose_device("no such device"), Error);
}

TEST_CASE("YCoCg-BC4 becomes Hap Q's YCoCg-DXT5") {
  const auto encoder =
      make_encoder({.source = rgba(), .texture = TextureFormat::ycocg_bc4_420, .device = "cpu-reference"});
  const auto pixels = one_color(90, 90, 90);
  FrameView frame{.format = rgba()};
  frame.planes[0] = {.data = pixels.data(), .stride_bytes = 4 * kWidth};
  encoder->submit(frame, {});
  const auto transcoder = make_transcoder({.from = encoder->texture_desc(), .device = "cpu-reference"});
  transcoder->submit(encoder->next().texture);
  DecodedImage image;
  decode_texture(transcoder->next(), image);
  for (const uint8_t sample : image.pixels) CHECK(std::abs(sample - 90) <= 2);
}

TEST_CASE("the log says nothing unless it is asked to, and then each line once") {
  std::vector<std::string> lines;
  set_log_function([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  set_log_function({});
  CHECK(lines.empty());
}
