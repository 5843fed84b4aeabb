#include "gl_picture.h"

#include <array>
#include <cmath>
#include <string>

#include "base/ensure.h"
#include "frames/color.h"
#include "frames/tone_map.h"

namespace texcast::player {
namespace {

// SCALED: linear filtering, clamped to the centres of the outermost texels of the true size, so that the padding of the
// last blocks is never blended in. Otherwise one pixel is one texel.
//
// at0 is the position in the luma texture (or the only one), at1 in the merged chroma texture.
//
// SCALED_YCOCG and ALPHA are filtered after decoding: neighbouring blocks may have different scales, which must not be
// blended, and the colour of a transparent texel must not show beside an opaque one. Therefore `decoded` is colour
// times alpha.
//
// ALPHA: the picture is over gray tiles of 16 pixels, which begin in its top left corner.
//
// YCBCR: filtered first and converted then. PAIR returns a texel of two pixels as Cb Y'0 Cr Y'1; their chroma is sited
// on the first, so the second takes the mean of its own and the next pair's.
//
// LIGHT: half floats, displayed as frames/tone_map.h defines.
constexpr const char* kPictureFragment = R"(
uniform vec2 first_centre;
uniform vec2 last_centre;
uniform vec2 top_left;  // of the picture, in pixels, counted from below
out vec4 colour;
#ifdef YCBCR
uniform mat3 to_rgb;
uniform vec3 black;
#endif
#ifdef LIGHT
uniform float light;  // brightness factor; 0: values are R'G'B' already
uniform mat3 to_bt709;
uniform float shoulder;
vec3 shown_color(vec3 rgb) {
  if (light == 0.0) return clamp(rgb, 0.0, 1.0);
  rgb = clamp(rgb, -65504.0, 65504.0);  // signed blocks can hold -infinity, and 0 times that is NaN
  vec3 c = max(to_bt709 * rgb * light, 0.0);
  float most = max(max(c.r, c.g), c.b);
  if (most > shoulder) c *= (shoulder + (1.0 - shoulder) * (most - shoulder) / (most - 2.0 * shoulder + 1.0)) / most;
  return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, lessThanEqual(c, vec3(0.0031308)));
}
#endif
#if defined(SCALED_YCOCG) || defined(ALPHA) || defined(PAIR)
#ifdef PAIR
const ivec2 kTexel = ivec2(2, 1);
#else
const ivec2 kTexel = ivec2(1, 1);
#endif
vec4 decoded(vec4 texel, float alpha) {
#ifdef SCALED_YCOCG
  vec2 co_cg = (texel.rg - 128.0 / 255.0) / (texel.b * (255.0 / 8.0) + 1.0);
  vec3 rgb = clamp(vec3(texel.a + co_cg.x - co_cg.y, texel.a + co_cg.y, texel.a - co_cg.x - co_cg.y), 0.0, 1.0);
#else
  vec3 rgb = texel.rgb;
#endif
  return vec4(rgb * alpha, alpha);
}
#ifdef PAIR
vec4 decoded_at(ivec2 at) {
  vec4 own = PAIR(texelFetch(plane0, at / kTexel, 0));
  if ((at.x & 1) == 0) return vec4(own.g, own.rb, 1.0);
  ivec2 side = min(at / kTexel + ivec2(1, 0), textureSize(plane0, 0) - 1);
  return vec4(own.a, 0.5 * (own.rb + PAIR(texelFetch(plane0, side, 0)).rb), 1.0);
}
#elif defined(ALPHA) && PLANES == 2
vec4 decoded_at(ivec2 at) { return decoded(texelFetch(plane0, at, 0), texelFetch(plane1, at, 0).r); }
#elif defined(ALPHA)
vec4 decoded_at(ivec2 at) {
  vec4 texel = texelFetch(plane0, at, 0);
  return decoded(texel, texel.a);
}
#else
vec4 decoded_at(ivec2 at) { return decoded(texelFetch(plane0, at, 0), 1.0); }
#endif
vec4 decoded_linear(vec2 at) {
  ivec2 last = textureSize(plane0, 0) * kTexel - 1;
  vec2 texel = at * vec2(last + 1) - 0.5;
  ivec2 a = ivec2(floor(texel)), b = min(a + 1, last);
  a = max(a, 0);
  vec2 part = fract(texel);
  vec4 above = mix(decoded_at(a), decoded_at(ivec2(b.x, a.y)), part.x);
  vec4 below = mix(decoded_at(ivec2(a.x, b.y)), decoded_at(b), part.x);
  return mix(above, below, part.y);
}
#endif
// Signed textures return -1..1, which stands for 0..1.
#ifdef SIGNED
float shown(float value) { return 0.5 * value + 0.5; }
vec2 shown(vec2 value) { return 0.5 * value + 0.5; }
#else
#define shown(value) (value)
#endif
void main() {
#ifdef SCALED
  vec2 luma_at = clamp(at0, first_centre, last_centre);
#else
  vec2 luma_at = at0;
#endif
#if defined(SCALED_YCOCG) || defined(ALPHA) || defined(PAIR)
#ifdef SCALED
  vec4 picture = decoded_linear(luma_at);
#else
  vec4 picture = decoded_at(ivec2(luma_at * vec2(textureSize(plane0, 0) * kTexel)));
#endif
#ifdef ALPHA
  ivec2 tile = ivec2(abs(gl_FragCoord.xy - top_left)) / 16;
  float gray = ((tile.x + tile.y) & 1) == 0 ? 237.0 / 255.0 : 222.0 / 255.0;
  picture.rgb += gray * (1.0 - picture.a);
#endif
  colour = vec4(picture.rgb, 1.0);
#elif defined(GRAY)
  colour = vec4(vec3(shown(texture(plane0, luma_at).r)), 1.0);
#elif defined(RED_GREEN)
  colour = vec4(shown(texture(plane0, luma_at).rg), 0.0, 1.0);
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
#ifdef YCBCR
  colour.rgb = to_rgb * (colour.rgb - black);
#endif
#ifdef LIGHT
  colour.rgb = shown_color(colour.rgb);
#endif
}
)";

bool has_small_chroma(TextureFormat format) {
  const Format& row = format_row(format);
  return row.model == ColorModel::ycocg_planes && row.planes[1].across * row.planes[1].down > 1;
}

// The defines with which the shader of a format is compiled.
std::string defines_of(TextureFormat format) {
  const Format& row = format_row(format);
  const Coding& first = plane_coding(format, 0);
  std::string defines = "#define PLANES " + std::to_string(row.plane_count) + "\n";
  switch (row.model) {
    case ColorModel::rgb: break;
    case ColorModel::red_green: defines += "#define RED_GREEN\n"; break;
    case ColorModel::rgba: defines += "#define ALPHA\n"; break;
    case ColorModel::gray: defines += "#define GRAY\n"; break;
    case ColorModel::ycocg_planes: defines += has_small_chroma(format) ? "#define MERGED_CHROMA\n" : ""; break;
    case ColorModel::scaled_ycocg: defines += "#define SCALED_YCOCG\n"; break;
    case ColorModel::scaled_ycocg_alpha: defines += "#define SCALED_YCOCG\n#define ALPHA\n"; break;
    case ColorModel::ycbcr: defines += "#define YCBCR\n"; break;
  }
  if (first.is_signed) defines += "#define SIGNED\n";
  if (first.sample_type == SampleType::half) defines += "#define LIGHT\n";
  if (first.is_pair()) {
    defines += "#define PAIR(texel) texel.";
    for (const uint8_t byte : first.pair_order) defines += "rgba"[byte];
    defines += "\n";
  }
  return defines;
}

// The part of the merged chroma texture that the picture covers. Chroma is centre-sited, each value being the average
// of the luma texels that it covers: a position in luma texels divided by two is the position in chroma texels. With an
// odd size the last chroma texel covers only one luma texel, and the picture ends in the middle of it.
Scale chroma_part(const TextureLayout& layout) {
  const auto part = [](int luma, int chroma) {
    return chroma == luma ? 1.0F : static_cast<float>(luma) * 0.5F / static_cast<float>(chroma);
  };
  // Sizes of 1 have chroma of size 1, where every position is the same texel.
  return {part(layout.planes[0].width, layout.planes[1].width), part(layout.planes[0].height, layout.planes[1].height)};
}

// The formulas of frames/color.h for values of 0..1.
void set_conversion(const ColorSpec& color, GLint to_rgb, GLint black) {
  const ColorConversion c = color_conversion(PixelFormat::yuv444p, color);
  const auto factor = [](int fixed_point) { return static_cast<float>(fixed_point) / static_cast<float>(kByteStep); };
  const auto level = [](int byte) { return static_cast<float>(byte) / 255.0F; };
  const float y = factor(c.luma_scale);
  const std::array columns = {y,
                              y,
                              y,  // of Y', of Cb, of Cr
                              0.0F,
                              factor(c.green_u),
                              factor(c.blue_u),
                              factor(c.red_v),
                              factor(c.green_v),
                              0.0F};
  glUniformMatrix3fv(to_rgb, 1, GL_FALSE, columns.data());
  glUniform3f(black, level(c.luma_offset), level(c.chroma_offset), level(c.chroma_offset));
}

void set_light(const ColorSpec& color, double exposure, GLint light, GLint to_bt709, GLint shoulder) {
  std::array<float, 9> rows = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (color.primaries == kBt2020Primaries)
    for (size_t i = 0; i < 9; ++i) rows[i] = static_cast<float>(kBt2020ToBt709[i / 3][i % 3]);
  glUniform1f(light, color.transfer == kLinearTransfer ? static_cast<float>(std::exp2(exposure)) : 0.0F);
  glUniformMatrix3fv(to_bt709, 1, GL_TRUE, rows.data());
  glUniform1f(shoulder, static_cast<float>(kShoulder));
}

constexpr const char* kChromaFragment = R"(
out vec4 chroma;
void main() { chroma = vec4(texture(plane1, at0).r, texture(plane2, at0).r, 0.0, 1.0); }
)";

}  // namespace

void ChromaMerger::allocate(int width, int height) {
  width_ = width;
  height_ = height;
  texture_ = GlTexture::create();
  framebuffer_ = GlFramebuffer::create();
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture_.name());
  set_sampling(GL_LINEAR);
  // Four channels instead of two: llvmpipe filters RGBA8 in 12 ms, but RG8 in 16.
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.name(), 0);
}

void ChromaMerger::merge(const TextureRing& picture) {
  const PlaneLayout& plane = picture.layout().planes[1];
  if (!pass_) pass_.emplace("chroma", kChromaFragment);
  if (plane.width != width_ || plane.height != height_) allocate(plane.width, plane.height);
  picture.bind();
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
  glViewport(0, 0, width_, height_);
  pass_->draw(texture_part(plane), {}, true);
}

PictureRenderer::PictureRenderer() : linear_(GlSampler::create()) {
  glSamplerParameteri(linear_.name(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glSamplerParameteri(linear_.name(), GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glSamplerParameteri(linear_.name(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glSamplerParameteri(linear_.name(), GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

PictureRenderer::Shader& PictureRenderer::shader_for(TextureFormat format, bool exact) {
  const auto found = shaders_.find({format, exact});
  if (found != shaders_.end()) return found->second;
  Shader shader{RectanglePass(std::string(name(format)) + (exact ? " 1:1" : " scaled"),
                              defines_of(format) + (exact ? "" : "#define SCALED\n") + kPictureFragment)};
  shader.first_centre = shader.pass.location("first_centre");
  shader.last_centre = shader.pass.location("last_centre");
  shader.top_left = shader.pass.location("top_left");
  shader.to_rgb = shader.pass.location("to_rgb");
  shader.black = shader.pass.location("black");
  shader.light = shader.pass.location("light");
  shader.to_bt709 = shader.pass.location("to_bt709");
  shader.shoulder = shader.pass.location("shoulder");
  return shaders_.emplace(std::pair(format, exact), std::move(shader)).first->second;
}

void PictureRenderer::prepare(const TextureRing& picture) {
  if (has_small_chroma(picture.desc().format)) chroma_.merge(picture);
}

void PictureRenderer::draw(const TextureRing& picture, Rect where, Size target, Orientation orientation) {
  const TextureDesc& desc = picture.desc();
  const PlaneLayout& luma = picture.layout().planes[0];
  const Size upright = swaps_sides(orientation) ? Size{where.height, where.width} : Size{where.width, where.height};
  const bool exact = upright.width == desc.width && upright.height == desc.height;
  Shader& shader = shader_for(desc.format, exact);

  picture.bind();
  if (has_small_chroma(desc.format)) {
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, chroma_.texture());
  }
  shader.pass.use();
  glUniform2f(shader.top_left, static_cast<float>(where.x), static_cast<float>(target.height - where.y));
  if (plane_coding(desc.format, 0).sample_type == SampleType::half)
    set_light(desc.color, exposure_, shader.light, shader.to_bt709, shader.shoulder);
  if (is_ycbcr(desc.format)) set_conversion(desc.color, shader.to_rgb, shader.black);
  if (!exact) {
    for (GLuint unit = 0; unit < 3; ++unit) glBindSampler(unit, linear_.name());
    const Scale half_texel{0.5F / static_cast<float>(luma.blocks_x * luma.block_width),
                           0.5F / static_cast<float>(luma.blocks_y * luma.block_height)};
    const Scale part = texture_part(luma);
    glUniform2f(shader.first_centre, half_texel.x, half_texel.y);
    glUniform2f(shader.last_centre, part.x - half_texel.x, part.y - half_texel.y);
  }
  // OpenGL counts rows from below.
  glViewport(where.x, target.height - where.y - where.height, where.width, where.height);
  shader.pass.draw(texture_part(luma), chroma_part(picture.layout()), false, turn_of(orientation));
  if (!exact)
    for (GLuint unit = 0; unit < 3; ++unit) glBindSampler(unit, 0);
}

}  // namespace texcast::player
