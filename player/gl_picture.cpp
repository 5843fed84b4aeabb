#include "gl_picture.h"

#include <string>

namespace texcast::player {
namespace {

// SCALED: linear filtering, kept between the centres of the outermost texels of the true size, so that the padding of
// the last blocks is never mixed in. Else one pixel is one texel.
//
// at0 is the position in the luma texture (or the only one), at1 in the merged chroma texture.
//
// Scaled YCoCg is filtered after it is decoded: neighbouring blocks may have different scales, which must not be mixed.
constexpr const char* kPictureFragment = R"(
uniform vec2 first_centre;
uniform vec2 last_centre;
out vec4 colour;
#ifdef SCALED_YCOCG
vec3 decoded(vec4 texel) {
  vec2 co_cg = (texel.rg - 128.0 / 255.0) / (texel.b * (255.0 / 8.0) + 1.0);
  return clamp(vec3(texel.a + co_cg.x - co_cg.y, texel.a + co_cg.y, texel.a - co_cg.x - co_cg.y), 0.0, 1.0);
}
vec3 decoded_linear(vec2 at) {
  ivec2 last = textureSize(plane0, 0) - 1;
  vec2 texel = at * vec2(last + 1) - 0.5;
  ivec2 a = ivec2(floor(texel)), b = min(a + 1, last);
  a = max(a, 0);
  vec2 part = fract(texel);
  vec3 above = mix(decoded(texelFetch(plane0, a, 0)), decoded(texelFetch(plane0, ivec2(b.x, a.y), 0)), part.x);
  vec3 below = mix(decoded(texelFetch(plane0, ivec2(a.x, b.y), 0)), decoded(texelFetch(plane0, b, 0)), part.x);
  return mix(above, below, part.y);
}
#endif
void main() {
#ifdef SCALED
  vec2 luma_at = clamp(at0, first_centre, last_centre);
#else
  vec2 luma_at = at0;
#endif
#if defined(SCALED_YCOCG) && defined(SCALED)
  colour = vec4(decoded_linear(luma_at), 1.0);
#elif defined(SCALED_YCOCG)
  colour = vec4(decoded(texture(plane0, luma_at)), 1.0);
#elif PLANES == 1
  colour = vec4(texture(plane0, luma_at).rgb, 1.0);
#else
#ifdef MERGED_CHROMA
  vec2 chroma = texture(plane1, at1).rg;
#else
  vec2 chroma = vec2(texture(plane1, luma_at).r, texture(plane2, luma_at).r);
#endif
  float y = texture(plane0, luma_at).r;
  vec2 co_cg = chroma - 128.0 / 255.0;
  colour = vec4(y + co_cg.x - co_cg.y, y + co_cg.y, y - co_cg.x - co_cg.y, 1.0);
#endif
}
)";

struct Variant {
  const char* name;
  const char* defines;
};
constexpr std::array<Variant, 8> kVariants = {{
    {"bc1 1:1", "#define PLANES 1\n"},
    {"bc1 scaled", "#define PLANES 1\n#define SCALED\n"},
    {"ycocg 1:1", "#define PLANES 3\n#define MERGED_CHROMA\n"},
    {"ycocg scaled", "#define PLANES 3\n#define MERGED_CHROMA\n#define SCALED\n"},
    {"ycocg-444 1:1", "#define PLANES 3\n"},
    {"ycocg-444 scaled", "#define PLANES 3\n#define SCALED\n"},
    {"ycocg-dxt5 1:1", "#define PLANES 1\n#define SCALED_YCOCG\n"},
    {"ycocg-dxt5 scaled", "#define PLANES 1\n#define SCALED_YCOCG\n#define SCALED\n"},
}};

bool has_small_chroma(TextureFormat format) {
  return format == TextureFormat::ycocg_bc4_420 || format == TextureFormat::ycocg_bc4_422;
}

size_t variant_of(TextureFormat format, bool exact) {
  const size_t scaled = exact ? 0 : 1;
  if (format == TextureFormat::ycocg_dxt5) return 6 + scaled;
  return (!is_ycocg(format) ? 0 : has_small_chroma(format) ? 2 : 4) + scaled;
}

// What of the merged chroma texture the picture covers. Chroma is centre-sited, each value the average of the luma
// texels that it covers: a position in luma texels halved is the position in chroma texels. Of an odd size the last
// chroma texel covers one luma texel only, and the picture ends in the middle of it.
Scale chroma_part(const TextureLayout& layout) {
  const auto part = [](int luma, int chroma) {
    return chroma == luma ? 1.0F : static_cast<float>(luma) * 0.5F / static_cast<float>(chroma);
  };
  // Sizes of 1 have chroma of size 1, where every position is the same texel.
  return {part(layout.planes[0].width, layout.planes[1].width), part(layout.planes[0].height, layout.planes[1].height)};
}

}  // namespace

PictureRenderer::PictureRenderer() : linear_(GlSampler::create()) {
  glSamplerParameteri(linear_.name(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glSamplerParameteri(linear_.name(), GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glSamplerParameteri(linear_.name(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glSamplerParameteri(linear_.name(), GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

PictureRenderer::Shader& PictureRenderer::shader_for(TextureFormat format, bool exact) {
  const size_t index = variant_of(format, exact);
  std::optional<Shader>& shader = shaders_[index];
  if (!shader) {
    shader.emplace(
        Shader{RectanglePass(kVariants[index].name, std::string(kVariants[index].defines) + kPictureFragment)});
    shader->first_centre = shader->pass.location("first_centre");
    shader->last_centre = shader->pass.location("last_centre");
  }
  return *shader;
}

void PictureRenderer::prepare(const TextureRing& picture) {
  if (has_small_chroma(picture.desc().format)) chroma_.merge(picture);
}

void PictureRenderer::draw(const TextureRing& picture, Rect where, Size target) {
  const TextureDesc& desc = picture.desc();
  const PlaneLayout& luma = picture.layout().planes[0];
  const bool exact = where.width == desc.width && where.height == desc.height;
  Shader& shader = shader_for(desc.format, exact);

  picture.bind();
  if (has_small_chroma(desc.format)) {
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, chroma_.texture());
  }
  if (!exact) {
    for (GLuint unit = 0; unit < 3; ++unit) glBindSampler(unit, linear_.name());
    const Scale half_texel{0.5F / static_cast<float>(luma.blocks_x * 4), 0.5F / static_cast<float>(luma.blocks_y * 4)};
    const Scale part = texture_part(luma);
    shader.pass.use();
    glUniform2f(shader.first_centre, half_texel.x, half_texel.y);
    glUniform2f(shader.last_centre, part.x - half_texel.x, part.y - half_texel.y);
  }
  // OpenGL counts rows from below.
  glViewport(where.x, target.height - where.y - where.height, where.width, where.height);
  shader.pass.draw(texture_part(luma), chroma_part(picture.layout()));
  if (!exact)
    for (GLuint unit = 0; unit < 3; ++unit) glBindSampler(unit, 0);
}

}  // namespace texcast::player
