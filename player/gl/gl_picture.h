// gl_picture.h — draws the current picture of a TextureRing into a rectangle of the target; pictures with alpha over
// gray tiles. What is in the framebuffer does not show through.
#pragma once

#include <map>
#include <utility>

#include "gl_chroma.h"
#include "gl_pass.h"
#include "gl_texture.h"
#include "player/geometry.h"

namespace texcast::player {

class PictureRenderer {
 public:
  PictureRenderer();
  // After each upload, once. Leaves another framebuffer and viewport behind.
  void prepare(const TextureRing& picture);
  // Fills `where` of a target of `target` pixels (top row first) in the framebuffer that is bound; touches nothing
  // outside. Where the rectangle is of the picture's size each pixel is exactly one texel; else filtered linearly.
  void draw(const TextureRing& picture, Rect where, Size target);

 private:
  struct Shader {
    RectanglePass pass;
    GLint first_centre = -1;
    GLint last_centre = -1;
    GLint top_left = -1;
    GLint to_rgb = -1;  // of Y'CbCr
    GLint black = -1;
  };
  Shader& shader_for(TextureFormat format, bool exact);

  GlSampler linear_;  // in place of the planes' own nearest filter
  ChromaMerger chroma_;
  std::map<std::pair<TextureFormat, bool>, Shader> shaders_;  // by format and whether 1:1; made when first needed
};

}  // namespace texcast::player
