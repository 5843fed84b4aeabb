// Some blocks of a device's first frames are compared with the reference encoder. Here codec/ref encodes whole frames.
#include "frame_check.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "pictures.h"

using namespace texcast;
using test::blocks_of;
using test::Picture;

namespace {

Picture noise(const FrameFormat& format, unsigned seed) {
  Picture frame{.format = format};
  std::minstd_rand random(seed + 1);
  for (std::byte& byte : frame.bytes) byte = static_cast<std::byte>(random() >> 8 & 0xFF);
  return frame;
}

Picture gray(const FrameFormat& format) {
  Picture frame{.format = format};
  for (std::byte& byte : frame.bytes) byte = std::byte{0x80};
  return frame;
}

FrameCheck check_of(const EncoderSettings& settings) {
  return FrameCheck(texture_layout(settings.texture, settings.source.width, settings.source.height));
}

void take(FrameCheck& check, const EncoderSettings& settings, const Picture& frame, size_t number) {
  check.take(number, [&](size_t plane, int column, int row, MutableBytes block) {
    ref::encode_block(frame.view(), settings.texture, method_of(settings), block, settings.options, {plane, row},
                      column);
  });
}

EncoderSettings settings_of(TextureFormat texture, PixelFormat pixels = PixelFormat::rgba) {
  return {.source = {.pixel_format = pixels, .width = 70, .height = 45, .color = kFullRange, .opaque = true},
          .texture = texture};
}

}  // namespace

TEST_CASE("correct blocks of one or several planes pass, and are compared once") {
  for (const auto& formats : {std::pair{TextureFormat::bc1, PixelFormat::rgba},
                              {TextureFormat::bc5, PixelFormat::rgba},
                              {TextureFormat::ycocg_bc4_420, PixelFormat::nv12},
                              {TextureFormat::ycocg_dxt5, PixelFormat::yuv420p}}) {
    CAPTURE(std::string(name(formats.first)));
    const EncoderSettings settings = settings_of(formats.first, formats.second);
    FrameCheck check = check_of(settings);
    CHECK_FALSE(check.awaits(0));
    const Picture frame = noise(settings.source, 1);
    take(check, settings, frame, 0);
    CHECK(check.awaits(0));
    CHECK_FALSE(check.awaits(1));
    CHECK(check.compare(0, blocks_of(settings, frame)));
    take(check, settings, frame, 1);
    CHECK_FALSE(check.awaits(1));
  }
}

TEST_CASE("blocks that are wrong everywhere, or in one plane, are found") {
  const EncoderSettings settings = settings_of(TextureFormat::ycocg_bc4_420, PixelFormat::nv12);
  const TextureLayout layout = texture_layout(settings.texture, settings.source.width, settings.source.height);
  const Picture frame = noise(settings.source, 2);
  for (size_t plane = 0; plane < static_cast<size_t>(layout.plane_count); ++plane) {
    CAPTURE(plane);
    FrameCheck check = check_of(settings);
    take(check, settings, frame, 7);
    std::vector<std::byte> blocks = blocks_of(settings, frame);
    for (size_t i = 0; i < layout.planes[plane].bytes; i += 8) blocks[layout.planes[plane].offset + i] ^= std::byte{1};
    CHECK_FALSE(check.compare(7, blocks));
    take(check, settings, frame, 8);
    CHECK_FALSE(check.awaits(8));  // one comparison is enough
  }
}

TEST_CASE(
    "a picture of a single colour proves little, so that the next frames are compared too, in order of their numbers") {
  const EncoderSettings settings = settings_of(TextureFormat::bc1);
  FrameCheck check = check_of(settings);
  const Picture plain = gray(settings.source), picture = noise(settings.source, 3);
  const auto plain_blocks = blocks_of(settings, plain);
  take(check, settings, plain, 0);
  take(check, settings, plain, 1);
  take(check, settings, picture, 2);
  take(check, settings, plain, 3);
  CHECK(check.compare(0, plain_blocks));
  CHECK(check.awaits(1));
  CHECK(check.compare(1, plain_blocks));
  CHECK(check.compare(2, blocks_of(settings, picture)));
  CHECK_FALSE(check.awaits(3));
}

TEST_CASE("a stream that stays one colour is compared for a limited number of frames") {
  const EncoderSettings settings = settings_of(TextureFormat::bc1);
  FrameCheck check = check_of(settings);
  const Picture plain = gray(settings.source);
  const auto blocks = blocks_of(settings, plain);
  size_t looked_at = 0;
  for (size_t number = 0; number < 200; ++number) {
    take(check, settings, plain, number);
    if (!check.awaits(number)) continue;
    CHECK(check.compare(number, blocks));
    ++looked_at;
  }
  CHECK(looked_at > 1);
  CHECK(looked_at < 100);
}
