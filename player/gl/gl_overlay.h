// gl_overlay.h — draws the overlay of the picture: panels of text and the seek bar.
//
// Owns the glyphs, the texts' textures and the shaders, which are created at first use; without a font no text is
// drawn. Thread: that of the context, which must be current, also when this is destroyed.
#pragma once

#include <memory>
#include <string>

#include "player/geometry.h"
#include "player/presenter.h"

namespace texcast::player {

class OverlayRenderer {
 public:
  explicit OverlayRenderer(const std::string& font_file);
  ~OverlayRenderer();
  // Draws into the bound framebuffer, of `target` pixels.
  void draw(const Overlay& overlay, Size target);

 private:
  class Drawing;
  std::unique_ptr<Drawing> drawing_;
};

}  // namespace texcast::player
