#include "gl_text.h"

#include <algorithm>

#include "gl_texture.h"

namespace texcast::player {
namespace {

constexpr const char* kTextFragment = R"(
out vec4 colour;
void main() { colour = vec4(texture(plane0, at0).r); }  // premultiplied white
)";

}  // namespace

TextPass::TextPass() : pass_("text", kTextFragment) {}

void TextPass::draw(const Rect& where, Size target) const {
  glViewport(where.x, target.height - where.y - where.height, where.width, where.height);
  pass_.draw({}, {});
}

Size GlText::update(OsdText& text, std::span<const std::string> lines, Size target) {
  if (target_ == target && std::equal(lines.begin(), lines.end(), lines_.begin(), lines_.end()))
    return {panel_.width, panel_.height};
  target_ = target;
  lines_.assign(lines.begin(), lines.end());
  text.render(lines_, text_height(target), target.width, target.height, panel_);
  if (panel_.width == 0) return {};
  if (!texture_) texture_ = GlTexture::create();
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture_.name());
  set_sampling(GL_NEAREST);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, panel_.width, panel_.height, 0, GL_RED, GL_UNSIGNED_BYTE,
               panel_.coverage.data());
  return {panel_.width, panel_.height};
}

void GlText::draw(const TextPass& pass, int x, int y, Size target) const {
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture_.name());
  pass.draw({x, y, panel_.width, panel_.height}, target);
}

}  // namespace texcast::player
