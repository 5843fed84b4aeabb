#include "player/shaders.h"

#include <cmath>
#include <string>

#include "frames/color.h"
#include "frames/tone_map.h"

namespace texcast::player {
namespace {

struct Words {
  std::string_view head;           // of each shader
  std::string_view interpolation;  // of a varying that is linear in the window
  bool has_bgr;                    // textures can be filled with B G R
};

constexpr Words words_of(Glsl glsl) {
  if (glsl == Glsl::es_300)
    return {"#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n", "", false};
  return {"#version 330 core\n", "noperspective ", true};
}

// One triangle that covers the viewport (V), so that there is no diagonal across it whose pixels would be shaded twice:
//
//     (-1,3) .
//            | \                     .
//     (-1,1) +---+
//            | V |   \               .
//    (-1,-1) +---+------. (3,-1)
constexpr const char* kVertexShader = R"(uniform vec4 scales;
uniform vec4 origins;
uniform float upwards;  // 1: rows count from the top
uniform mat2 back;  // maps displayed positions to positions in the picture
VARYING out vec2 at0;
VARYING out vec2 at1;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  vec2 unit = back * vec2(corner.x, corner.y * upwards) * 0.5 + 0.5;
  at0 = unit * scales.xy + origins.xy;
  at1 = unit * scales.zw + origins.zw;
  gl_Position = vec4(corner, 0.0, 1.0);
}
)";

constexpr const char* kFragmentInputs = R"(uniform sampler2D plane0;
uniform sampler2D plane1;
uniform sampler2D plane2;
VARYING in vec2 at0;
VARYING in vec2 at1;
)";

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
  colour = vec4(texture(plane0, luma_at).ORDER, 1.0);
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

constexpr const char* kChromaFragment = R"(
out vec4 chroma;
void main() { chroma = vec4(texture(plane1, at0).r, texture(plane2, at0).r, 0.0, 1.0); }
)";

constexpr uint32_t kGlBgr = 0x80E0;  // GL_BGR

// The defines with which the shader of a format is compiled.
std::string defines_of(TextureFormat format, Glsl glsl) {
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
  const bool is_swapped = first.gl.pixel_format == kGlBgr && !words_of(glsl).has_bgr;
  defines += is_swapped ? "#define ORDER bgr\n" : "#define ORDER rgb\n";
  return defines;
}

std::string beginning(Glsl glsl) {
  const Words words = words_of(glsl);
  std::string text(words.head);
  text += "#define VARYING ";
  text += words.interpolation;
  text += "\n";
  return text;
}

// The formulas of frames/color.h for values of 0..1.
void add_conversion(const ColorSpec& color, std::vector<ShaderValue>& values) {
  const ColorConversion c = color_conversion(PixelFormat::yuv444p, color);
  const auto factor = [](int fixed_point) { return static_cast<float>(fixed_point) / static_cast<float>(kByteStep); };
  const auto level = [](int byte) { return static_cast<float>(byte) / 255.0F; };
  const float y = factor(c.luma_scale);
  // Columns of Y', of Cb, of Cr.
  values.push_back(
      {.name = "to_rgb",
       .count = 9,
       .numbers = {y, y, y, 0.0F, factor(c.green_u), factor(c.blue_u), factor(c.red_v), factor(c.green_v), 0.0F}});
  const float gray = level(c.chroma_offset);
  values.push_back({.name = "black", .count = 3, .numbers = {level(c.luma_offset), gray, gray}});
}

void add_light(const ColorSpec& color, double exposure, std::vector<ShaderValue>& values) {
  const bool is_linear = color.transfer == kLinearTransfer;
  values.push_back(
      {.name = "light", .count = 1, .numbers = {is_linear ? static_cast<float>(std::exp2(exposure)) : 0.0F}});
  ShaderValue to_bt709{.name = "to_bt709", .count = 9, .numbers = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  if (color.primaries == kBt2020Primaries)
    for (size_t i = 0; i < 9; ++i) to_bt709.numbers[i] = static_cast<float>(kBt2020ToBt709[i % 3][i / 3]);
  values.push_back(to_bt709);
  values.push_back({.name = "shoulder", .count = 1, .numbers = {static_cast<float>(kShoulder)}});
}

}  // namespace

bool has_small_chroma(TextureFormat format) {
  const Format& row = format_row(format);
  return row.model == ColorModel::ycocg_planes && row.planes[1].across * row.planes[1].down > 1;
}

std::string vertex_shader(Glsl glsl) { return beginning(glsl) + kVertexShader; }

std::string fragment_shader(const std::string& body, Glsl glsl) { return beginning(glsl) + kFragmentInputs + body; }

std::string picture_shader(TextureFormat format, bool is_exact, Glsl glsl) {
  return fragment_shader(defines_of(format, glsl) + (is_exact ? "" : "#define SCALED\n") + kPictureFragment, glsl);
}

bool exact_shader_filters(TextureFormat format, const TextureLayout& layout) {
  const ColorModel model = format_row(format).model;
  const bool decodes_first = model == ColorModel::rgba || model == ColorModel::scaled_ycocg ||
                             model == ColorModel::scaled_ycocg_alpha || plane_coding(format, 0).is_pair();
  const Scale part = texture_part(layout.planes[0]);
  return !decodes_first && part.x == 1 && part.y == 1;
}

std::string chroma_shader(Glsl glsl) { return fragment_shader(kChromaFragment, glsl); }

Scale texture_part(const PlaneLayout& plane) {
  return {static_cast<float>(plane.width) / static_cast<float>(plane.blocks_x * plane.block_width),
          static_cast<float>(plane.height) / static_cast<float>(plane.blocks_y * plane.block_height)};
}

// Chroma is centre-sited, each value being the average
// of the luma texels that it covers: a position in luma texels divided by two is the position in chroma texels. With an
// odd size the last chroma texel covers only one luma texel, and the picture ends in the middle of it.
Scale chroma_part(const TextureLayout& layout) {
  const auto part = [](int luma, int chroma) {
    return chroma == luma ? 1.0F : static_cast<float>(luma) * 0.5F / static_cast<float>(chroma);
  };
  // Sizes of 1 have chroma of size 1, where every position is the same texel.
  return {part(layout.planes[0].width, layout.planes[1].width), part(layout.planes[0].height, layout.planes[1].height)};
}

std::vector<ShaderValue> color_values(const TextureDesc& desc, double exposure) {
  std::vector<ShaderValue> values;
  if (plane_coding(desc.format, 0).sample_type == SampleType::half) add_light(desc.color, exposure, values);
  if (is_ycbcr(desc.format)) add_conversion(desc.color, values);
  return values;
}

}  // namespace texcast::player
