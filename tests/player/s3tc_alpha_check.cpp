// How OpenGL's texture unit decodes three-colour BC1 blocks, in the format that we upload (RGB) and in the one that
// others may use (RGBA). Index 3 is what --black uses.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "block_oracle.h"
#include "contexts.h"
#include "gl_pass.h"
#include "player/gl_object.h"

namespace texcast::player {
namespace {

constexpr const char* kVertexSource = R"(#version 330 core
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }
)";
constexpr const char* kFragmentSource = R"(#version 330 core
uniform sampler2D blocks;
out vec4 texel;
void main() { texel = texelFetch(blocks, ivec2(gl_FragCoord.xy), 0); }
)";

constexpr int kSize = 64;
using Texel = std::array<uint8_t, 4>;

// All texels of the texture in `format`, R G B A, the first row first. Draws into the current context's framebuffer.
std::vector<Texel> fetched(const OwnedTexture& texture, GLenum format) {
  const GlProgram program = link_program("fetch", kVertexSource, kFragmentSource);
  const auto vertices = GlVertexArray::create();
  const auto target = GlTexture::create();
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, target.name());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, kSize, kSize, 0, static_cast<GLsizei>(texture.blocks.size()),
                         texture.blocks.data());
  glUseProgram(program.name());
  glUniform1i(uniform(program, "blocks"), 0);
  glBindVertexArray(vertices.name());
  glViewport(0, 0, kSize, kSize);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  std::vector<Texel> texels(size_t{kSize} * kSize);
  glReadPixels(0, 0, kSize, kSize, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
  REQUIRE(glGetError() == GL_NO_ERROR);
  return texels;
}

int index_at(const OwnedTexture& texture, size_t texel) {
  const size_t x = texel % kSize, y = texel / kSize;
  const std::byte row = texture.blocks[8 * (y / 4 * (kSize / 4) + x / 4) + 4 + y % 4];
  return std::to_integer<int>(row) >> (2 * (x % 4)) & 3;
}

// Every block is in three-colour order: c0 <= c1.
OwnedTexture three_colour_texture() {
  OwnedTexture texture = random_texture(TextureFormat::bc1, kSize, kSize, 7);
  for (size_t at = 0; at < texture.blocks.size(); at += 8) {
    std::byte* b = &texture.blocks[at];
    const auto word = [&](size_t i) { return std::to_integer<int>(b[i]) | std::to_integer<int>(b[i + 1]) << 8; };
    if (word(0) > word(2)) std::swap_ranges(b, b + 2, b + 2);
  }
  return texture;
}

// Whether the colours are those of the format's definition, except for the device's rounding.
bool has_colours(const std::vector<Texel>& texels, const OraclePlane& want, double allowed) {
  for (size_t i = 0; i < texels.size(); ++i)
    for (size_t c = 0; c < 3; ++c)
      if (std::abs(texels[i][c] - want.texels[3 * i + c]) > allowed) return false;
  return true;
}

}  // namespace

TEST_CASE("index 3 of three-colour blocks is black, and transparent only in the RGBA format") {
  const auto context = make_egl_context({.kind = PresenterKind::offscreen, .width = kSize, .height = kSize});
  glBindFramebuffer(GL_FRAMEBUFFER, context->framebuffer());
  const double allowed = tolerance(TextureFormat::bc1, reinterpret_cast<const char*>(glGetString(GL_RENDERER))).largest;
  const OwnedTexture texture = three_colour_texture();
  const OraclePlane want = decode_picture(texture);
  for (const GLenum format : {GL_COMPRESSED_RGB_S3TC_DXT1_EXT, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT}) {
    CAPTURE(format);
    const auto texels = fetched(texture, format);
    CHECK(has_colours(texels, want, allowed));
    int holes = 0, wrong = 0;
    for (size_t i = 0; i < texels.size(); ++i) {
      const bool hole = format == GL_COMPRESSED_RGBA_S3TC_DXT1_EXT && index_at(texture, i) == 3;
      holes += hole;
      wrong += texels[i][3] != (hole ? 0 : 255);
    }
    CHECK(wrong == 0);
    CHECK((holes > 0) == (format == GL_COMPRESSED_RGBA_S3TC_DXT1_EXT));
  }
}

}  // namespace texcast::player
