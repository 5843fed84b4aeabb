#include "stream_description.h"

#include "player/shaders.h"
#include "text/json_text.h"
#include "textures/stream_format.h"

namespace texcast::player {
namespace {

constexpr uint32_t kWebGlRgb = 0x1907, kOpenGlBgr = 0x80E0;

Json numbers(std::initializer_list<int> values) {
  Json array = Json::array();
  for (const int value : values) array.push(value);
  return array;
}

Json plane_json(const Coding& coding, const PlaneLayout& plane) {
  Json json = Json::object({{"internalFormat", coding.gl.internal_format},
                            {"type", coding.is_compressed ? "compressed" : "bytes"},
                            {"width", plane.width},
                            {"height", plane.height},
                            {"blocksX", plane.blocks_x},
                            {"blocksY", plane.blocks_y},
                            {"blockWidth", plane.block_width},
                            {"blockHeight", plane.block_height},
                            {"blockBytes", plane.block_bytes},
                            {"offset", static_cast<uint64_t>(plane.offset)}});
  if (coding.is_compressed) return json;
  // The shader swaps B and R.
  json["pixelFormat"] = coding.gl.pixel_format == kOpenGlBgr ? kWebGlRgb : coding.gl.pixel_format;
  json["pair"] = coding.is_pair();
  return json;
}

Json uniforms_json(const TextureDesc& texture) {
  Json json = Json::object();
  for (const ShaderValue& value : color_values(texture)) {
    Json array = Json::array();
    for (size_t i = 0; i < value.count; ++i) array.push(static_cast<double>(value.numbers[i]));
    json[value.name] = value.count == 1 ? Json(static_cast<double>(value.numbers[0])) : array;
  }
  return json;
}

}  // namespace

std::string_view coding_name(const transport::StreamDesc& stream) {
  if (!stream.compact()) return "raw";
  if (stream.coding == stream::kTransformCoding) return "lossy, transform coding";
  return stream.coding == stream::kLossyCoding ? "lossy" : "lossless";
}

std::string stream_description(const TextureDesc& texture, const transport::StreamDesc& stream) {
  const TextureLayout layout = texture_layout(texture);
  const Turn turn = turn_of(texture.orientation);
  const auto families = texture_families(texture.format);
  Json planes = Json::array();
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p)
    planes.push(plane_json(plane_coding(texture.format, p), layout.planes[p]));
  const bool merges = has_small_chroma(texture.format);
  const bool is_scaled_exact = exact_shader_filters(texture.format, layout);  // the shorter one, by a tenth of the time
  Json json = Json::object();
  json["format"] = name(texture.format);
  json["family"] = families.empty() ? std::string_view("none") : families[0];
  json["width"] = texture.width;
  json["height"] = texture.height;
  json["aspect"] = numbers({texture.aspect.num, texture.aspect.den});
  json["turn"] = numbers({turn.xx, turn.xy, turn.yx, turn.yy});
  json["fps"] = stream.fps;
  json["coding"] = coding_name(stream);
  json["planes"] = planes;
  json["shaders"] = Json::object({{"vertex", vertex_shader(Glsl::es_300)},
                                  {"exact", picture_shader(texture.format, true, Glsl::es_300)},
                                  {"scaled", picture_shader(texture.format, is_scaled_exact, Glsl::es_300)},
                                  {"chroma", merges ? Json(chroma_shader(Glsl::es_300)) : Json()}});
  json["uniforms"] = uniforms_json(texture);
  return json.text();
}

}  // namespace texcast::player
