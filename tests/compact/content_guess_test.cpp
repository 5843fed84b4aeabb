// The content class of tiles, guessed from their blocks.
#include "content_guess.h"

#include <doctest/doctest.h>

#include "textures.h"

using namespace texcast;
using namespace texcast::compact;
using namespace textures;

namespace {

// The guesses for all tiles of a picture.
int count_of(Content content, const TextureDesc& desc, const Texture& texture, const RdParameters& target) {
  const TileGrid grid(desc);
  int count = 0;
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile)
    count += guess_content(grid, tile, texture.data(), target) == content;
  return count;
}

}  // namespace

TEST_CASE("content guess: letters are screen, photographs film, and fine film at a low crf") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444}) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 256, .height = 128};  // 16 tiles
    CHECK(count_of(Content::screen, desc, letters(desc, 5), rd_parameters(24)) >= 15);
    CHECK(count_of(Content::film, desc, photograph(desc, 0, 0), rd_parameters(24)) >= 15);
    CHECK(count_of(Content::fine_film, desc, photograph(desc, 0, 0), rd_parameters(16)) >= 15);
    CHECK(count_of(Content::film, desc, photograph(desc, 0, 0), rd_parameters(16)) == 0);
  }
}
