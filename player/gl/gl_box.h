// gl_box.h — draws a box of one colour with round corners, over what is there.
#pragma once

#include "gl_rectangle.h"
#include "player/geometry.h"

namespace texcast::player {

struct Colour {  // 0..1, not premultiplied
  float red = 0;
  float green = 0;
  float blue = 0;
  float opacity = 1;
};

class BoxPass {
 public:
  BoxPass();
  // Of a target of `target` pixels, into the framebuffer that is bound; blending is on and premultiplied.
  // `radius` of the corners, pixels; half the height is a pill.
  void draw(const Rect& box, float radius, const Colour& colour, Size target);

 private:
  RectanglePass pass_;
  GLint shape_ = -1;
  GLint colour_ = -1;
};

}  // namespace texcast::player
