// gl_overlay.h — draws a text panel over the picture: one blended quad, its texture sent again only when the text
// changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geometry.h"
#include "gl_rectangle.h"
#include "osd_text.h"
#include "player/presenter.h"

namespace texcast::player {

class OverlayRenderer {
 public:
  explicit OverlayRenderer(const std::string& font_file);
  // Into the framebuffer that is bound, of `target` pixels.
  void draw(const Overlay& overlay, Size target);

 private:
  void update(const Overlay& overlay, Size target);

  OsdText text_;
  TextPanel panel_;
  std::vector<std::string> shown_lines_;
  Size shown_target_;
  std::optional<RectanglePass> pass_;
  GlTexture texture_;
};

}  // namespace texcast::player
