// Encoders, decoders and transcoders through the library. Other tests check their results; this one that programs which
// link the library can use them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "texcast/texcast.h"

using namespace texcast;

namespace {

constexpr int kWidth = 36, kHeight = 20;

FrameFormat rgba() {
  return {.pixel_format = PixelFormat::rgba, .width = kWidth, .height = kHeight, .color = kFullRange};
}

std::vector<std::byte> one_color(uint8_t r, uint8_t g, uint8_t b) {
  std::vector<std::byte> pixels;
  for (int i = 0; i < kWidth * kHeight; ++i)
    for (const int sample : {int{r}, int{g}, int{b}, 255}) pixels.push_back(static_cast<std::byte>(sample));
  return pixels;
}

}  // namespace

TEST_CASE("the library's version is the same in the header and in the library") {
  CHECK(std::string(version()) == TEXCAST_VERSION);
  CHECK(std::string(TEXCAST_VERSION) == std::to_string(TEXCAST_VERSION_MAJOR) + "." +
                                            std::to_string(TEXCAST_VERSION_MINOR) + "." +
                                            std::to_string(TEXCAST_VERSION_PATCH));
}

TEST_CASE("a frame is encoded and decoded to the color that it had") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_dxt5, TextureFormat::ycocg_bc4_444}) {
    CAPTURE(name(format));
    const auto encoder = make_encoder({.source = rgba(), .texture = format, .device = "cpu-reference"});
    const auto pixels = one_color(33, 130, 200);  // a color that 5-6-5 bits can represent, so that BC1 has it
    FrameView frame{.format = rgba()};
    frame.planes[0] = {.data = pixels.data(), .stride_bytes = 4 * kWidth};
    encoder->submit(frame, {.pts = std::chrono::milliseconds(40)});
    const EncodedFrame encoded = encoder->next();
    CHECK(encoded.times.pts == std::chrono::milliseconds(40));
    CHECK(encoded.texture.blocks.size() == texture_layout(format, kWidth, kHeight).total_bytes);
    DecodedImage image;
    decode_texture(encoded.texture, image);
    REQUIRE(image.width == kWidth);
    int worst = 0;
    const int expected[] = {33, 130, 200};
    for (size_t i = 0; i < image.pixels.size(); ++i)
      if (const size_t channel = i % static_cast<size_t>(image.channels); channel < 3)
        worst = std::max(worst, std::abs(image.pixels[i] - expected[channel]));
    CHECK(worst <= 3);  // half a step of five bits is 4
  }
}

// Kernels find the row of a block by a multiplication, whose factor for one column does not fit into 32 bits.
TEST_CASE("a picture that is one block wide has the reference's blocks on a device too") {
  for (const TextureFormat texture : {TextureFormat::bc1, TextureFormat::bc7, TextureFormat::ycocg_dxt5})
    for (const int width : {1, 3, 4, 5}) {
      CAPTURE(name(texture));
      CAPTURE(width);
      const FrameFormat format{.pixel_format = PixelFormat::rgb24, .width = width, .height = 40, .color = kFullRange};
      std::vector<std::byte> pixels;
      for (int i = 0; i < 3 * width * format.height; ++i) pixels.push_back(static_cast<std::byte>(i * i % 251));
      FrameView frame{.format = format};
      frame.planes[0] = {.data = pixels.data(), .stride_bytes = 3 * width};
      std::vector<std::vector<std::byte>> results;
      for (const char* device : {"", "cpu-reference"}) {
        const auto encoder =
            make_encoder({.source = format, .texture = texture, .device = device, .start = EncoderStart::when_built});
        encoder->submit(frame, {});
        const TextureView encoded = encoder->next().texture;
        results.emplace_back(encoded.blocks.begin(), encoded.blocks.end());
      }
      CHECK(results[0] == results[1]);
    }
}

TEST_CASE("devices can be listed, even if there are none") {
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
  const auto [least, most] = std::minmax_element(image.pixels.begin(), image.pixels.end());
  CHECK(*least >= 88);
  CHECK(*most <= 92);
}

TEST_CASE("the log is silent without a log function; with one, each line comes once") {
  std::vector<std::string> lines;
  set_log_function([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  set_log_function({});
  CHECK(lines.empty());
}
