// Compares the table of reference codecs with the table of formats: no codec is missing, and none writes channels that
// the format lacks.
#include "block_codecs.h"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "capture_bound.h"
#include "texcast/decoder.h"

using namespace texcast;

TEST_CASE("every plane of every format is decoded, and encoded if the format is") {
  for (const Format& row : formats()) {
    CAPTURE(row.name);
    const ref::BlockCodecs& codecs = ref::block_codecs(row.id);
    std::set<int> channels;
    for (size_t p = 0; p < static_cast<size_t>(row.plane_count); ++p) {
      CAPTURE(p);
      const ref::PlaneCodec& codec = codecs.planes[p];
      CHECK((codec.encode != nullptr) == row.is_encoded());
      CHECK((codec.decode != nullptr) == !plane_coding(row.id, p).is_pair());
      for (int c = 0; c < codec.channels; ++c) CHECK(channels.insert(codec.first_channel + c).second);
    }
    if (plane_coding(row.id, 0).is_pair()) continue;
    CHECK(static_cast<int>(channels.size()) == channel_count(row.id));
    CHECK(*channels.begin() == 0);
    CHECK(*channels.rbegin() == channel_count(row.id) - 1);
  }
}

TEST_CASE("a texture of zeros of every format and size decodes to a picture of its channels and samples") {
  for (const Format& row : formats())
    for (const auto& [width, height] : {std::array{1, 1}, std::array{5, 7}, std::array{32, 24}}) {
      CAPTURE(row.name);
      CAPTURE_BOUND(width);
      const TextureDesc desc{.format = row.id, .width = width, .height = height, .color = usual_color(row.id)};
      const std::vector<std::byte> blocks(texture_layout(desc).total_bytes);
      DecodedImage image;
      decode_texture({desc, blocks}, image);
      CHECK(image.width == width);
      CHECK(image.height == height);
      CHECK(image.channels == channel_count(row.id));
      CHECK(image.samples == plane_coding(row.id, 0).sample_type);
      CHECK(image.pixels.size() == static_cast<size_t>(width * height * image.channels * sample_bytes(image.samples)));
    }
}

// Khronos Data Format 1.3, sections 23.14 ("Endpoint unquantization") and 23.19: end points of 8 bits are replicated to
// 16, or followed by 128 if the texture is sRGB; then (e0 (64 - w) + e1 w + 32) / 64, of which the upper 8 bits count.
// The block: a grid of 4x4 weights of two bits (mode 0x42), luminance 20 and 21, all weights 2, which is 43.
//   (20 x 257 x 21 + 21 x 257 x 43 + 32) / 64 / 256 = 20.75
//   ((20 x 256 + 128) x 21 + (21 x 256 + 128) x 43 + 32) / 64 / 256 = 21.17
TEST_CASE("ASTC: an sRGB texture is decoded by the rule for sRGB") {
  std::vector<std::byte> block(16);
  const uint64_t low = 0x42 | uint64_t{20} << 17 | uint64_t{21} << 25;
  for (size_t i = 0; i < 8; ++i) block[i] = static_cast<std::byte>(low >> 8 * i & 0xFF);
  for (size_t i = 12; i < 16; ++i) block[i] = std::byte{0x55};
  TextureDesc desc{.format = TextureFormat::astc_4x4, .width = 4, .height = 4};
  const auto decoded = [&](uint8_t transfer) {
    desc.color.transfer = transfer;
    DecodedImage image;
    decode_texture({desc, block}, image);
    return image.pixels;
  };
  const auto all = [](uint8_t luminance) {
    std::vector<uint8_t> pixels;
    for (int i = 0; i < 16; ++i) pixels.insert(pixels.end(), {luminance, luminance, luminance, 255});
    return pixels;
  };
  CHECK(decoded(1) == all(20));
  CHECK(decoded(8) == all(20));
  CHECK(decoded(13) == all(21));
}
