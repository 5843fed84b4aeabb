// gl_cursor.h — draws the pointer of a captured desktop over its picture, as large as the picture's own pixels, turned
// with it, and cut off at its edge.
//
// Owns the pointer's texture and the shader; they are made when first needed. Thread: that of the context, which must
// be current, also when this is destroyed.
#pragma once

#include <memory>
#include <optional>

#include "frames/cursor.h"
#include "gl_pass.h"
#include "player/geometry.h"
#include "texcast/format.h"

namespace texcast::player {

class CursorRenderer {
 public:
  // `where` the picture was drawn, in the framebuffer that is bound, of `target` pixels.
  void draw(const Cursor& cursor, const TextureDesc& picture, Rect where, Size target, Orientation orientation);

 private:
  std::optional<RectanglePass> pass_;
  GlTexture texture_;
  std::shared_ptr<const CursorShape> shape_;  // that the texture has
};

}  // namespace texcast::player
