#include "gl_overlay.h"

#include <algorithm>

namespace texcast::player {
namespace {

// The viewport is the panel's rectangle, so a texel of the panel is a pixel.
constexpr const char* kVertexShader = R"(#version 330 core
uniform vec2 panel_size;
noperspective out vec2 texel;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  texel = vec2(corner.x + 1.0, 1.0 - corner.y) * 0.5 * panel_size;
  gl_Position = vec4(corner, 0.0, 1.0);
}
)";

constexpr const char* kFragmentShader = R"(#version 330 core
uniform sampler2D panel;
noperspective in vec2 texel;
out vec4 colour;
const float panel_opacity = 0.66;  // white text stays readable over white: 0.34 of it behind
void main() {
  float ink = texelFetch(panel, ivec2(texel), 0).r;
  colour = vec4(vec3(ink), mix(panel_opacity, 1.0, ink));  // premultiplied
}
)";

// 16 pixels at 720 rows, 24 at 1080, 48 at 2160: the share of the picture stays the same.
int glyph_pixels(Size target) { return std::clamp(target.height / 45, 12, 64); }

}  // namespace

OverlayRenderer::OverlayRenderer(const std::string& font_file) : text_(font_file) {
  if (!text_.usable()) return;
  program_ = link_program("text panel", kVertexShader, kFragmentShader);
  no_attributes_ = GlVertexArray::create();
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
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
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
  glUseProgram(program_.name());
  glUniform2f(uniform(program_, "panel_size"), static_cast<float>(panel_.width), static_cast<float>(panel_.height));
  glBindTexture(GL_TEXTURE_2D, texture_.name());
  glBindVertexArray(no_attributes_.name());
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glDisable(GL_BLEND);
}

}  // namespace texcast::player
