#include "gl_overlay.h"

#include <algorithm>

#include "gl_texture.h"

namespace texcast::player {
namespace {

constexpr const char* kOverlayFragment = R"(
out vec4 colour;
const float panel_opacity = 0.66;  // white text stays readable over white: 0.34 of it shines through
void main() {
  float ink = texture(plane0, at0).r;
  colour = vec4(vec3(ink), mix(panel_opacity, 1.0, ink));  // premultiplied
}
)";

// 16 pixels at 720 rows, 24 at 1080, 48 at 2160: the share of the picture stays the same.
int glyph_pixels(Size target) { return std::clamp(target.height / 45, 12, 64); }

}  // namespace

OverlayRenderer::OverlayRenderer(const std::string& font_file) : text_(font_file) {
  if (text_.usable()) pass_.emplace("text panel", kOverlayFragment);
}

void OverlayRenderer::update(const Overlay& overlay, Size target) {
  if (shown_target_ == target &&
      std::equal(overlay.lines.begin(), overlay.lines.end(), shown_lines_.begin(), shown_lines_.end())) {
    return;
  }
  shown_target_ = target;
  shown_lines_.assign(overlay.lines.begin(), overlay.lines.end());
  text_.render(shown_lines_, glyph_pixels(target), target.width, target.height, panel_);
  if (panel_.width == 0) return;
  if (!texture_) texture_ = GlTexture::create();
  glBindTexture(GL_TEXTURE_2D, texture_.name());
  set_sampling(GL_NEAREST);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, panel_.width, panel_.height, 0, GL_RED, GL_UNSIGNED_BYTE,
               panel_.coverage.data());
}

void OverlayRenderer::draw(const Overlay& overlay, Size target) {
  if (overlay.lines.empty() || !text_.usable()) return;
  glActiveTexture(GL_TEXTURE0);
  update(overlay, target);
  if (panel_.width == 0) return;
  const bool centred = overlay.place == OverlayPlace::centre;
  const int margin = glyph_pixels(target) / 2;
  const int x = centred ? (target.width - panel_.width) / 2 : std::min(margin, target.width - panel_.width);
  const int y = centred ? (target.height - panel_.height) / 2 : std::min(margin, target.height - panel_.height);
  glViewport(x, target.height - y - panel_.height, panel_.width, panel_.height);
  glBindTexture(GL_TEXTURE_2D, texture_.name());
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  pass_->draw({}, {});
  glDisable(GL_BLEND);
}

}  // namespace texcast::player
