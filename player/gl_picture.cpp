#include "gl_picture.h"

#include <string>

namespace texcast::player {
namespace {

// One triangle that covers the viewport, which is the picture's rectangle: no diagonal whose pixels are shaded twice.
//
//     (-1,3) .
//            | \          `texel` is the position in the picture, in luma texels, (0,0) its top left corner
//     (-1,1) +---+ .
//            |   |   \                                                            .
//    (-1,-1) +---+-----. (3,-1)
constexpr const char* kVertexShader = R"(#version 330 core
uniform vec2 picture_size;
noperspective out vec2 texel;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  texel = vec2(corner.x + 1.0, 1.0 - corner.y) * 0.5 * picture_size;
  gl_Position = vec4(corner, 0.0, 1.0);
}
)";

// EXACT: one pixel is one texel, fetched by its number. Else linear filtering, kept half a texel inside the true
// size so that the padding of the last blocks is never mixed in.
//
// Chroma planes are centre-sited (each value is the average of the luma texels that it covers), so a position in luma
// texels times chroma_scale is the position in chroma texels, also where the size is odd.
constexpr const char* kFragmentShader = R"(
uniform sampler2D plane0;
uniform sampler2D plane1;
uniform sampler2D plane2;
uniform ivec4 rectangle;            // x, top edge counted from below, width, height
uniform vec2 picture_size;          // texels
uniform vec2 luma_texture_size;     // rounded up to blocks
uniform vec2 chroma_size;
uniform vec2 chroma_texture_size;
uniform vec2 chroma_scale;
noperspective in vec2 texel;
out vec4 colour;

vec4 linear(sampler2D plane, vec2 position, vec2 size, vec2 texture_size) {
  return texture(plane, clamp(position, vec2(0.5), size - 0.5) / texture_size);
}

void main() {
#ifdef EXACT
  ivec2 here = ivec2(int(gl_FragCoord.x) - rectangle.x, rectangle.y - 1 - int(gl_FragCoord.y));
#define LUMA(plane) texelFetch(plane, here, 0)
#else
#define LUMA(plane) linear(plane, texel, picture_size, luma_texture_size)
#endif
#ifdef CHROMA_EXACT
#define CHROMA(plane) texelFetch(plane, here, 0).r
#else
#define CHROMA(plane) linear(plane, texel * chroma_scale, chroma_size, chroma_texture_size).r
#endif
#ifdef YCOCG
  float y = LUMA(plane0).r;
  float co = CHROMA(plane1) - 128.0 / 255.0;
  float cg = CHROMA(plane2) - 128.0 / 255.0;
  colour = vec4(y + co - cg, y + cg, y - co - cg, 1.0);
#else
  colour = vec4(LUMA(plane0).rgb, 1.0);
#endif
}
)";

struct Variant {
  const char* name;
  const char* defines;
};
constexpr std::array<Variant, 5> kVariants = {{
    {"bc1 1:1", "#define EXACT\n"},
    {"bc1 scaled", ""},
    {"ycocg 1:1", "#define EXACT\n#define YCOCG\n"},
    {"ycocg-444 1:1", "#define EXACT\n#define YCOCG\n#define CHROMA_EXACT\n"},
    {"ycocg scaled", "#define YCOCG\n"},
}};

size_t variant_of(TextureFormat format, bool exact) {
  if (!is_ycocg(format)) return exact ? 0 : 1;
  if (!exact) return 4;
  return format == TextureFormat::ycocg_bc4_444 ? 3 : 2;
}

void set_size(GLint location, int width, int height) {
  glUniform2f(location, static_cast<float>(width), static_cast<float>(height));
}

}  // namespace

PictureRenderer::PictureRenderer() : no_attributes_(GlVertexArray::create()) {}

PictureRenderer::Shader& PictureRenderer::shader_for(TextureFormat format, bool exact) {
  const size_t index = variant_of(format, exact);
  Shader& shader = shaders_[index];
  if (shader.program) return shader;
  const Variant& variant = kVariants[index];
  shader.program =
      link_program(variant.name, kVertexShader, std::string("#version 330 core\n") + variant.defines + kFragmentShader);
  shader.rectangle = uniform(shader.program, "rectangle");
  shader.picture_size = uniform(shader.program, "picture_size");
  shader.luma_texture_size = uniform(shader.program, "luma_texture_size");
  shader.chroma_size = uniform(shader.program, "chroma_size");
  shader.chroma_texture_size = uniform(shader.program, "chroma_texture_size");
  shader.chroma_scale = uniform(shader.program, "chroma_scale");
  glUseProgram(shader.program.name());
  glUniform1i(uniform(shader.program, "plane0"), 0);
  glUniform1i(uniform(shader.program, "plane1"), 1);
  glUniform1i(uniform(shader.program, "plane2"), 2);
  return shader;
}

void PictureRenderer::draw(const TextureRing& picture, Rect where, Size target) {
  const TextureDesc& desc = picture.desc();
  const PlaneLayout& luma = picture.layout().planes[0];
  const PlaneLayout& chroma = picture.layout().planes[picture.layout().plane_count == 3 ? 1 : 0];
  const bool exact = where.width == desc.width && where.height == desc.height;
  const Shader& shader = shader_for(desc.format, exact);

  const int bottom = target.height - where.y - where.height;  // OpenGL counts rows from below
  glViewport(where.x, bottom, where.width, where.height);
  glUseProgram(shader.program.name());
  glUniform4i(shader.rectangle, where.x, bottom + where.height, where.width, where.height);
  set_size(shader.picture_size, desc.width, desc.height);
  set_size(shader.luma_texture_size, luma.blocks_x * 4, luma.blocks_y * 4);
  set_size(shader.chroma_size, chroma.width, chroma.height);
  set_size(shader.chroma_texture_size, chroma.blocks_x * 4, chroma.blocks_y * 4);
  const bool half_width = desc.format == TextureFormat::ycocg_bc4_420 || desc.format == TextureFormat::ycocg_bc4_422;
  const bool half_height = desc.format == TextureFormat::ycocg_bc4_420;
  glUniform2f(shader.chroma_scale, half_width ? 0.5F : 1.0F, half_height ? 0.5F : 1.0F);
  picture.bind();
  glBindVertexArray(no_attributes_.name());
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace texcast::player
