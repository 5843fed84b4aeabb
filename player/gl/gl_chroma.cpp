#include "gl_chroma.h"

namespace texcast::player {
namespace {

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
  // Four channels for two: llvmpipe filters RGBA8 in 12 ms where RG8 takes 16.
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

}  // namespace texcast::player
