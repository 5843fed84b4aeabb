// gl_text.h — a piece of text on the GPU, sent again only when it changed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gl_rectangle.h"
#include "player/geometry.h"
#include "player/osd_text.h"

namespace texcast::player {

class TextPass {
 public:
  TextPass();
  // White ink where the texture that is bound to unit 0 has coverage.
  void draw(const Rect& where, Size target) const;

 private:
  mutable RectanglePass pass_;
};

class GlText {
 public:
  // Lays the lines out for `target`; an empty size where there is nothing to draw.
  Size update(OsdText& text, std::span<const std::string> lines, Size target);
  // With its upper left corner at x, y.
  void draw(const TextPass& pass, int x, int y, Size target) const;

 private:
  TextPanel panel_;
  std::vector<std::string> lines_;
  Size target_;
  GlTexture texture_;
};

}  // namespace texcast::player
