// The table of reference codecs against the table of formats: none is missing, none writes channels that are not there.
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
