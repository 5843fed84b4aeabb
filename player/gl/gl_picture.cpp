#include "gl_picture.h"

#include <string>

#include "player/shaders.h"

namespace texcast::player {
namespace {

void set_value(const ShaderValue& value, GLint location) {
  switch (value.count) {
    case 1: glUniform1f(location, value.numbers[0]); break;
    case 3: glUniform3fv(location, 1, value.numbers.data()); break;
    default: glUniformMatrix3fv(location, 1, GL_FALSE, value.numbers.data());
  }
}

float fraction(int part, int whole) { return static_cast<float>(part) / static_cast<float>(whole); }

// The part of a texture that is drawn, of which the picture takes up `used`.
Area drawn_area(const TextureRing& picture, Scale used) {
  const Rect &whole = picture.textured(), &shown = picture.shown();
  return {.size = {used.x * fraction(shown.width, whole.width), used.y * fraction(shown.height, whole.height)},
          .origin = {used.x * fraction(shown.x - whole.x, whole.width),
                     used.y * fraction(shown.y - whole.y, whole.height)}};
}

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
  if (!pass_) pass_.emplace("chroma", chroma_shader(Glsl::core_330));
  if (plane.width != width_ || plane.height != height_) allocate(plane.width, plane.height);
  picture.bind();
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
  glViewport(0, 0, width_, height_);
  pass_->draw({texture_part(plane)}, {}, true);
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
                              picture_shader(format, exact, Glsl::core_330))};
  shader.first_centre = shader.pass.location("first_centre");
  shader.last_centre = shader.pass.location("last_centre");
  shader.top_left = shader.pass.location("top_left");
  return shaders_.emplace(std::pair(format, exact), std::move(shader)).first->second;
}

void PictureRenderer::prepare(const TextureRing& picture) {
  if (has_small_chroma(picture.desc().format)) chroma_.merge(picture);
}

void PictureRenderer::draw(const TextureRing& picture, Rect where, Size target, Orientation orientation) {
  const TextureDesc& desc = picture.desc();
  const PlaneLayout& luma = picture.layout().planes[0];
  const Size upright = swaps_sides(orientation) ? Size{where.height, where.width} : Size{where.width, where.height};
  const Rect& shown = picture.shown();
  const bool exact = upright.width == shown.width && upright.height == shown.height;
  Shader& shader = shader_for(desc.format, exact);

  picture.bind();
  if (has_small_chroma(desc.format)) {
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, chroma_.texture());
  }
  shader.pass.use();
  glUniform2f(shader.top_left,
              static_cast<float>(where.x) - static_cast<float>(shown.x) * fraction(upright.width, shown.width),
              static_cast<float>(target.height - where.y) +
                  static_cast<float>(shown.y) * fraction(upright.height, shown.height));
  for (const ShaderValue& value : color_values(desc, exposure_))
    set_value(value, shader.pass.location(std::string(value.name).c_str()));
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
  shader.pass.draw(drawn_area(picture, texture_part(luma)), drawn_area(picture, chroma_part(picture.layout())), false,
                   turn_of(orientation));
  if (!exact)
    for (GLuint unit = 0; unit < 3; ++unit) glBindSampler(unit, 0);
}

}  // namespace texcast::player
