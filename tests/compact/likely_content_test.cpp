// Films and screens, told apart by blocks.
#include <doctest/doctest.h>

#include "content_guess.h"
#include "textures.h"

using namespace texcast;
using namespace texcast::compact;
using namespace textures;

namespace {

// Of a picture's tiles.
int count_of(Content content, const TextureDesc& desc, const Texture& texture, const RdParameters& target) {
  const TileGrid grid(desc);
  int count = 0;
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile)
    count += guess_content(grid, tile, texture.data(), target) == content;
  return count;
}

}  // namespace

TEST_CASE("likely content: letters are a screen's, photographs a film's, and a fine one's where little may be lost") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444}) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 256, .height = 128};  // 16 tiles
    CHECK(count_of(Content::screen, desc, letters(desc, 5), rd_parameters(24)) >= 15);
    CHECK(count_of(Content::film, desc, photograph(desc, 0, 0), rd_parameters(24)) >= 15);
    CHECK(count_of(Content::fine_film, desc, photograph(desc, 0, 0), rd_parameters(16)) >= 15);
    CHECK(count_of(Content::film, desc, photograph(desc, 0, 0), rd_parameters(16)) == 0);
  }
}
