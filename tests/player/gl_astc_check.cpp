// ASTC: compares the scalar decoder with OpenGL's, bit for bit, on random blocks of every size. Prints SKIP if OpenGL
// does not support ASTC (most desktop GPUs); llvmpipe does.
#include <doctest/doctest.h>
#include <epoxy/gl.h>

#include <array>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "contexts.h"
#include "player/window.h"
#include "ref/astc.h"

namespace texcast::player {
namespace {

using ref::AstcBlock;
using ref::AstcBlockKind;
using ref::AstcRgba;
using ref::AstcSize;

// In the order of OpenGL's numbers, from 0x93B0 on; sRGB from 0x93D0 on.
constexpr std::array kSizes = {AstcSize{4, 4},  AstcSize{5, 4},   AstcSize{5, 5},   AstcSize{6, 5},  AstcSize{6, 6},
                               AstcSize{8, 5},  AstcSize{8, 6},   AstcSize{8, 8},   AstcSize{10, 5}, AstcSize{10, 6},
                               AstcSize{10, 8}, AstcSize{10, 10}, AstcSize{12, 10}, AstcSize{12, 12}};

bool everything_is_asked_for() {
  const char* all = std::getenv("TEXCAST_TEST_ALL");
  return all != nullptr && std::string_view(all) == "1";
}

// Every 16th block has one colour, and is valid in everything that Mesa does not check: extents and reserved bits.
AstcBlock random_block(std::mt19937_64& random, size_t number) {
  std::array<uint64_t, 2> words = {random(), random()};
  const bool is_one_color = number % 16 == 0;
  const uint64_t hdr = words[0] & 0x200;
  if (is_one_color) words[0] = ~uint64_t{0} << 10 | 0x1FC | hdr;
  if (!is_one_color && (words[0] & 0x1FF) == 0x1FC) words[0] ^= 4;
  AstcBlock block{};
  for (size_t i = 0; i < 16; ++i) block[i] = static_cast<uint8_t>(words[i / 8] >> 8 * (i % 8));
  return block;
}

struct Kinds {
  std::array<size_t, 3> blocks{};
};

// Compares random blocks of one size, `side` across and down. Returns the number of each kind.
Kinds compare_random_blocks(size_t number, bool srgb, int side) {
  const AstcSize size = kSizes[number];
  std::mt19937_64 random(number);
  const auto across = static_cast<size_t>(side);
  std::vector<AstcBlock> blocks(across * across);
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = random_block(random, i);
  const int width = side * size.width, height = side * size.height;
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glCompressedTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLenum>((srgb ? 0x93D0 : 0x93B0) + number), width, height, 0,
                         static_cast<GLsizei>(16 * blocks.size()), blocks.data());
  std::vector<std::array<uint8_t, 4>> shown(static_cast<size_t>(width) * static_cast<size_t>(height));
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, shown.data());
  REQUIRE(glGetError() == GL_NO_ERROR);
  glDeleteTextures(1, &texture);

  Kinds kinds;
  std::vector<AstcRgba> texels(static_cast<size_t>(size.width * size.height));
  size_t wrong = 0, first_wrong = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    ++kinds.blocks[static_cast<size_t>(decode_astc(blocks[i], size, srgb, texels))];
    bool same = true;
    for (size_t t = 0; t < texels.size(); ++t) {
      const auto block_width = static_cast<size_t>(size.width), block_height = static_cast<size_t>(size.height);
      const size_t x = i % across * block_width + t % block_width, y = i / across * block_height + t / block_width;
      const auto& pixel = shown[y * static_cast<size_t>(width) + x];
      for (size_t c = 0; c < 4; ++c) same = same && pixel[c] == texels[t][c];
    }
    if (!same && wrong++ == 0) first_wrong = i;
  }
  CAPTURE(size.width);
  CAPTURE(size.height);
  CAPTURE(srgb);
  CAPTURE(first_wrong);
  CHECK(wrong == 0);
  return kinds;
}

}  // namespace

TEST_CASE("ASTC: random blocks, valid and invalid, decode as in OpenGL" * doctest::test_suite("one-thread")) {
  const auto context = make_egl_context({.kind = PresenterKind::offscreen});
  if (!epoxy_has_gl_extension("GL_KHR_texture_compression_astc_ldr")) {
    MESSAGE("SKIP: astc: this OpenGL does not have the format");
    return;
  }
  Kinds all;
  for (size_t number = 0; number < kSizes.size(); ++number)
    for (const bool srgb : {false, true}) {
      const bool is_of_issue = kSizes[number].width == kSizes[number].height && kSizes[number].width % 2 == 0;
      const int side = everything_is_asked_for() && is_of_issue && !srgb ? 1000 : 48;
      const Kinds kinds = compare_random_blocks(number, srgb, side);
      for (size_t kind = 0; kind < 3; ++kind) all.blocks[kind] += kinds.blocks[kind];
    }
  MESSAGE(all.blocks[0], " LDR, ", all.blocks[1], " HDR, ", all.blocks[2], " invalid");
  for (const size_t blocks : all.blocks) CHECK(blocks > 1000);
}

}  // namespace texcast::player
