// gl_cursor.h — draws the pointer of a captured desktop over its picture, at the scale of the picture's pixels, rotated
// with it, and clipped to it.
//
// Owns the pointer's texture and the shader, which are created at first use. Thread: that of the context, which must be
// current, also when this is destroyed.
#pragma once

#include <memory>
#include <optional>

#include "frames/cursor.h"
#include "gl_pass.h"
#include "player/geometry.h"
#include "texcast/shape.h"

namespace texcast::player {

class CursorRenderer {
 public:
  // `shown`: the rectangle of the picture that is drawn to `where` in the bound framebuffer, of `target` pixels.
  void draw(const Cursor& cursor, const Rect& shown, Rect where, Size target, Orientation orientation);

 private:
  std::optional<RectanglePass> pass_;
  GlTexture texture_;
  std::shared_ptr<const CursorShape> shape_;  // the shape in the texture
};

}  // namespace texcast::player
