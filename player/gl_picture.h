// gl_picture.h — draws the current picture of a TextureRing into a rectangle of the target: one triangle, one pass,
// no blending.
#pragma once

#include <array>

#include "geometry.h"
#include "gl_program.h"
#include "gl_texture.h"

namespace texcast::player {

class PictureRenderer {
 public:
  PictureRenderer();
  // Fills `where` of a target of `target` pixels (top row first) in the framebuffer that is bound; touches nothing
  // outside. Where the rectangle is of the picture's size each pixel is exactly one texel; else filtered linearly.
  void draw(const TextureRing& picture, Rect where, Size target);

 private:
  struct Shader {
    GlProgram program;
    GLint rectangle = -1;
    GLint picture_size = -1;
    GLint luma_texture_size = -1;
    GLint chroma_size = -1;
    GLint chroma_texture_size = -1;
    GLint chroma_scale = -1;
  };
  Shader& shader_for(TextureFormat format, bool exact);

  GlVertexArray no_attributes_;    // the core profile draws nothing without a vertex array object
  std::array<Shader, 5> shaders_;  // made when first needed: a stream uses one or two
};

}  // namespace texcast::player
