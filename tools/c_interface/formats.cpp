// Formats and their layouts, of textures and frames.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "conversions.h"
#include "texcast/quality.h"

namespace texcast::c {

namespace {

// Names that end in a zero, by number.
template <typename Names>
const char* static_name(const Names& names, size_t number) {
  return number < names.size() && !names[number].empty() ? names[number].c_str() : nullptr;
}

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const Format& format : formats()) {
      const auto number = static_cast<size_t>(format.id);
      made.resize(std::max(made.size(), number + 1));
      made[number] = format.name;
    }
    return made;
  }();
  return names;
}

const std::vector<std::string>& pixel_format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made(1);  // 0: not set
    for (int i = 0; i < kPixelFormatCount; ++i) made.emplace_back(name(static_cast<PixelFormat>(i)));
    return made;
  }();
  return names;
}

texcast_color_model c_model(ColorModel model) {
  static_assert(static_cast<int>(ColorModel::rgba) == TEXCAST_MODEL_RGBA);
  static_assert(static_cast<int>(ColorModel::gray) == TEXCAST_MODEL_GRAY);
  static_assert(static_cast<int>(ColorModel::red_green) == TEXCAST_MODEL_RED_GREEN);
  static_assert(static_cast<int>(ColorModel::ycocg_planes) == TEXCAST_MODEL_YCOCG_PLANES);
  static_assert(static_cast<int>(ColorModel::scaled_ycocg) == TEXCAST_MODEL_SCALED_YCOCG);
  static_assert(static_cast<int>(ColorModel::scaled_ycocg_alpha) == TEXCAST_MODEL_SCALED_YCOCG_ALPHA);
  static_assert(static_cast<int>(ColorModel::ycbcr) == TEXCAST_MODEL_YCBCR);
  return static_cast<texcast_color_model>(model);
}

texcast_plane_layout c_layout(TextureFormat format, const PlaneLayout& plane, size_t index) {
  const Coding& coding = plane_coding(format, index);
  return {.struct_size = sizeof(texcast_plane_layout),
          .offset = plane.offset,
          .bytes = plane.bytes,
          .width = plane.width,
          .height = plane.height,
          .blocks_x = plane.blocks_x,
          .blocks_y = plane.blocks_y,
          .block_width = plane.block_width,
          .block_height = plane.block_height,
          .block_bytes = plane.block_bytes,
          .gl_internal_format = coding.gl.internal_format,
          .vk_format = coding.vk.unorm,
          .dxgi_format = coding.dxgi.unorm};
}

FrameFormat frame_of(const texcast_pixel_format& format, int32_t width, int32_t height) {
  texcast_frame frame{};
  frame.pixel_format = format;
  frame.width = width;
  frame.height = height;
  return frame_format(frame);
}

}  // namespace

}  // namespace texcast::c

using namespace texcast;
using namespace texcast::c;

const char* texcast_pixel_format_name(texcast_pixel_format format) {
  return guarded_or<const char*>(nullptr, [&] { return static_name(pixel_format_names(), number_of(format)); });
}

texcast_pixel_format texcast_pixel_format_from_name(const char* name) {
  return guarded_or(TEXCAST_PIXELS_NONE, [&] {
    const auto format = pixel_format_from_name(name ? std::string_view(name) : std::string_view());
    return format ? static_cast<texcast_pixel_format>(static_cast<int>(*format) + 1) : TEXCAST_PIXELS_NONE;
  });
}

int32_t texcast_frame_plane_count(texcast_pixel_format format) {
  return guarded_or<int32_t>(0, [&] { return plane_count(known_pixel_format(format).value()); });
}

int32_t texcast_frame_rows(texcast_pixel_format format, int32_t width, int32_t height, int32_t plane) {
  return guarded_or<int32_t>(0, [&] { return plane_rows(frame_of(format, width, height), plane); });
}

size_t texcast_frame_row_bytes(texcast_pixel_format format, int32_t width, int32_t height, int32_t plane) {
  return guarded_or<size_t>(
      0, [&] { return static_cast<size_t>(plane_row_bytes(frame_of(format, width, height), plane)); });
}

const char* texcast_format_name(texcast_format format) {
  return guarded_or<const char*>(nullptr, [&] { return static_name(format_names(), number_of(format)); });
}

texcast_format texcast_format_from_name(const char* name) {
  return guarded_or(TEXCAST_FORMAT_NONE, [&] {
    const auto format = texture_format_from_name(name ? std::string_view(name) : std::string_view());
    return format ? static_cast<texcast_format>(*format) : TEXCAST_FORMAT_NONE;
  });
}

texcast_format texcast_format_at(size_t index) {
  return guarded_or(TEXCAST_FORMAT_NONE, [&] {
    return index < formats().size() ? static_cast<texcast_format>(formats()[index].id) : TEXCAST_FORMAT_NONE;
  });
}

texcast_status texcast_format_get_info(texcast_format format, texcast_format_info* info, texcast_error* error) {
  return guarded(error, [&] {
    const Output out(info, "texcast_format_info");
    const Format& row = format_row(required_format(format));
    out.set({.struct_size = sizeof(texcast_format_info),
             .name = texcast_format_name(format),
             .model = c_model(row.model),
             .plane_count = row.plane_count,
             .channels = channel_count(row.id),
             .reads_alpha = reads_alpha(row.id),
             .qualities = static_cast<int32_t>(
                 std::ranges::count_if(kQualities, [&](Quality quality) { return has_quality(row.id, quality); })),
             .reserved = 0});
    return TEXCAST_OK;
  });
}

size_t texcast_texture_bytes(texcast_format format, int32_t width, int32_t height) {
  return guarded_or<size_t>(0, [&] { return texture_layout(required_format(format), width, height).total_bytes; });
}

texcast_status texcast_texture_get_plane(texcast_format format, int32_t width, int32_t height, int32_t plane,
                                         texcast_plane_layout* layout, texcast_error* error) {
  return guarded(error, [&] {
    const Output out(layout, "texcast_plane_layout");
    const TextureFormat known = required_format(format);
    const TextureLayout all = texture_layout(known, width, height);
    if (plane < 0 || plane >= all.plane_count) throw_misuse("the format has no plane " + std::to_string(plane));
    const auto index = static_cast<size_t>(plane);
    out.set(c_layout(known, all.planes[index], index));
    return TEXCAST_OK;
  });
}
