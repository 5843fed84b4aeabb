// shaders.h — the shaders that draw a picture of each format, for OpenGL 3.3 and for the GLSL ES 3.00 of WebGL2, from
// one text. No OpenGL here: shaders are text, and their uniforms are numbers.
//
// Interface of all shaders, where `plane0` to `plane2` are the texture units 0 to 2:
//     vertex    draws one triangle of three vertices without attributes that covers the viewport
//       vec4 scales      at0 and at1 at the picture's lower right corner (texture_part(), chroma_part())
//       vec4 origins     at0 and at1 at its upper left corner, added to that; 0 unless only a part is drawn
//       float upwards    1: row 0 of the target is the picture's top row, as for textures; -1: its bottom row
//       mat2 back        displayed positions to positions in the picture, by columns: turn_of()'s xx, xy, yx, yy
//     picture   draws the picture; half-size chroma (has_small_chroma()) is read from plane1 after chroma_shader()
//       vec2 first_centre, last_centre   scaled only: the centres of the outermost texels of plane0's true size
//       vec2 top_left    of the picture in the target, in pixels, counted from below
//       color_values()
//     chroma    merges plane1 (Co) and plane2 (Cg) into red and green
//
// Thread-safe: values and functions only.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "texcast/format.h"

namespace texcast::player {

enum class Glsl : uint8_t { core_330, es_300 };

// Co and Cg are of half size, and merged into one texture before the picture is drawn.
bool has_small_chroma(TextureFormat format);

std::string vertex_shader(Glsl glsl);
// `is_exact`: one texel is one pixel; otherwise the picture is filtered linearly. WebGL2 has no textures of B G R:
// their bytes are uploaded as R G B, and the shader swaps them.
std::string picture_shader(TextureFormat format, bool is_exact, Glsl glsl);
// Whether the shaders for one texel per pixel and for linear filtering give the same values with a sampler that filters
// linearly and clamps at the edge: the textures have no padding, and the filter need not come after decoding.
bool exact_shader_filters(TextureFormat format, const TextureLayout& layout);
std::string chroma_shader(Glsl glsl);
// Any other fragment shader: `body` follows the version and the declarations of plane0 to plane2, at0 and at1.
std::string fragment_shader(const std::string& body, Glsl glsl);

struct Scale {
  float x = 1;
  float y = 1;
};
// The fraction of a plane's texture of whole blocks that its true size takes up.
Scale texture_part(const PlaneLayout& plane);
// The part of the merged chroma texture that the picture covers.
Scale chroma_part(const TextureLayout& layout);

// The value of a uniform: a number, a vector of 3, or a matrix of 3x3 by columns.
struct ShaderValue {
  std::string_view name;
  size_t count = 1;
  std::array<float, 9> numbers{};
};
// The colours of a picture. Linear light is displayed 2^`exposure` times as bright.
std::vector<ShaderValue> color_values(const TextureDesc& desc, double exposure = 0);

}  // namespace texcast::player
