// SPDX-License-Identifier: GPL-2.0-or-later
#include "picture.h"

#include <epoxy/gl.h>
#include <graphics/vec2.h>
#include <graphics/vec4.h>

#include <string>

#include "messages.h"

namespace texcast::obs {
namespace {

// Binds a texture of OpenGL, and the one that was bound before when it ends, as libobs remembers what it has bound.
class Binding {
 public:
  explicit Binding(GLuint texture) {
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &before_);
    glGetIntegerv(GL_UNPACK_ALIGNMENT, &alignment_);
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  }
  ~Binding() {
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(before_));
    glPixelStorei(GL_UNPACK_ALIGNMENT, alignment_);
  }
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

 private:
  GLint before_ = 0, alignment_ = 4;
};

void fill(const Coding& coding, const PlaneLayout& plane, std::span<const std::byte> blocks, bool is_new) {
  const GLenum format = coding.gl.internal_format;
  const auto bytes = static_cast<GLsizei>(blocks.size());
  if (coding.is_compressed && is_new)
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, plane.width, plane.height, 0, bytes, blocks.data());
  else if (coding.is_compressed)
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, plane.width, plane.height, format, bytes, blocks.data());
  else if (is_new)
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(format), plane.width, plane.height, 0, coding.gl.pixel_format,
                 GL_UNSIGNED_BYTE, blocks.data());
  else
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, plane.width, plane.height, coding.gl.pixel_format, GL_UNSIGNED_BYTE,
                    blocks.data());
}

// The technique of texcast.effect for a picture.
const char* technique_of(const Picture& picture) {
  const TextureDesc& desc = picture.desc;
  if (plane_coding(desc.format, 0).sample_type == SampleType::half)
    return desc.color.transfer == kLinearTransfer ? "Light" : "Rgb";
  if (picture.has_alpha) return "Rgba";
  switch (format_row(desc.format).model) {
    case ColorModel::rgb:
    case ColorModel::ycbcr: return "Rgb";
    case ColorModel::rgba: return "Rgba";
    case ColorModel::gray: return "Gray";
    case ColorModel::red_green: return "RedGreen";
    case ColorModel::ycocg_planes: return "YCoCgPlanes";
    case ColorModel::scaled_ycocg: return "ScaledYCoCg";
    case ColorModel::scaled_ycocg_alpha: return "ScaledYCoCgAlpha";
  }
  return "Rgb";
}

void set_texture(gs_effect_t* effect, const char* name, gs_texture_t* texture) {
  if (texture) gs_effect_set_texture(gs_effect_get_param_by_name(effect, name), texture);
}

// Chroma is centre-sited: a position in luma texels divided by two is the position in chroma texels. With an odd size
// the last chroma texel covers only one luma texel.
float chroma_part(int luma, int chroma) {
  return chroma == luma ? 1.0F : static_cast<float>(luma) * 0.5F / static_cast<float>(chroma);
}

}  // namespace

bool PlaneTexture::upload(const Coding& coding, const PlaneLayout& plane, std::span<const std::byte> blocks) {
  // Its size and format only matter to libobs, whose effects sample it by positions of 0 to 1.
  if (!texture_) texture_ = gs_texture_create(4, 4, GS_RGBA_UNORM, 1, nullptr, 0);
  if (!texture_) return false;
  const Binding binding(*static_cast<const GLuint*>(gs_texture_get_obj(texture_)));
  const bool is_new = coding_ != coding.id || width_ != plane.width || height_ != plane.height;
  while (glGetError() != GL_NO_ERROR) {
  }
  fill(coding, plane, blocks.subspan(plane.offset, plane.bytes), is_new);
  const bool taken = glGetError() == GL_NO_ERROR;
  coding_ = coding.id;
  width_ = taken ? plane.width : 0;
  height_ = plane.height;
  return taken;
}

void StreamPicture::show(const Picture& picture) {
  const TextureLayout layout = texture_layout(picture.desc);
  if (!upload(picture, layout)) {
    if (!complained_)
      say(LogLevel::error, "OpenGL does not take " + std::string(name(picture.desc.format)) + " of " +
                               std::to_string(picture.desc.width) + "x" + std::to_string(picture.desc.height));
    complained_ = true;
    return;
  }
  complained_ = false;
  desc_ = picture.desc;
  set_parameters(layout);
  draw(technique_of(picture));
}

gs_texture_t* StreamPicture::texture() const { return drawn_ ? gs_texrender_get_texture(drawn_) : nullptr; }

bool StreamPicture::upload(const Picture& picture, const TextureLayout& layout) {
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p)
    if (!planes_.at(p).upload(plane_coding(picture.desc.format, p), layout.planes.at(p), picture.blocks)) return false;
  return true;
}

void StreamPicture::set_parameters(const TextureLayout& layout) {
  set_texture(effect_, "plane0", planes_[0].get());
  set_texture(effect_, "plane1", planes_[1].get());
  set_texture(effect_, "plane2", planes_[2].get());
  vec2 part{};
  vec2_set(&part, 1.0F, 1.0F);
  if (layout.plane_count == 3)
    vec2_set(&part, chroma_part(layout.planes[0].width, layout.planes[1].width),
             chroma_part(layout.planes[0].height, layout.planes[1].height));
  gs_effect_set_vec2(gs_effect_get_param_by_name(effect_, "chroma_part"), &part);
  vec2 range{};  // what a sample of a signed texture is multiplied with, and what is added then
  const bool is_signed = plane_coding(desc_.format, 0).is_signed;
  vec2_set(&range, is_signed ? 0.5F : 1.0F, is_signed ? 0.5F : 0.0F);
  gs_effect_set_vec2(gs_effect_get_param_by_name(effect_, "range"), &range);
}

void StreamPicture::draw(const char* technique) {
  if (!drawn_) drawn_ = gs_texrender_create(GS_RGBA, GS_ZS_NONE);
  const auto width = static_cast<uint32_t>(desc_.width), height = static_cast<uint32_t>(desc_.height);
  gs_texrender_reset(drawn_);
  gs_blend_state_push();
  gs_blend_function(GS_BLEND_ONE, GS_BLEND_ZERO);
  const bool converts = gs_framebuffer_srgb_enabled();
  gs_enable_framebuffer_srgb(false);
  if (gs_texrender_begin(drawn_, width, height)) {
    gs_ortho(0.0F, static_cast<float>(width), 0.0F, static_cast<float>(height), -100.0F, 100.0F);
    while (gs_effect_loop(effect_, technique)) gs_draw_sprite(planes_[0].get(), 0, width, height);
    gs_texrender_end(drawn_);
  }
  gs_enable_framebuffer_srgb(converts);
  gs_blend_state_pop();
}

}  // namespace texcast::obs
