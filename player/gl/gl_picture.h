// gl_picture.h — draws the current picture of a TextureRing into a rectangle of the target; pictures with alpha over
// gray tiles, so that the framebuffer does not show through.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "gl_pass.h"
#include "gl_texture.h"
#include "player/geometry.h"

namespace texcast::player {

// Merges the half-size Co and Cg planes of a picture into one small texture, on the GPU once per frame, so that the
// pass over all pixels interpolates chroma with one read instead of two of block-compressed planes.
//
// Why a separate pass: on llvmpipe at 1920x1080 and 4:2:0 reading both planes with linear filtering costs 42 ms of
// processor time, this pass 6 ms and filtering its result 10 ms. On a GPU it is a quarter of the pixels.
class ChromaMerger {
 public:
  // Merges the ring's current picture into texture(). Changes the bound framebuffer and the viewport.
  void merge(const TextureRing& picture);
  // Red: Co, green: Cg. It has the planes' true size, without the padding of their last blocks, and linear filtering.
  GLuint texture() const { return texture_.name(); }

 private:
  void allocate(int width, int height);

  std::optional<RectanglePass> pass_;
  GlTexture texture_;
  GlFramebuffer framebuffer_;
  int width_ = 0;
  int height_ = 0;
};

class PictureRenderer {
 public:
  PictureRenderer();
  // Linear light is displayed 2^`stops` times as bright.
  void set_exposure(double stops) { exposure_ = stops; }
  // Call it once after each upload. Changes the bound framebuffer and the viewport.
  void prepare(const TextureRing& picture);
  // Fills `where` of a target of `target` pixels (top row first) in the bound framebuffer, and nothing outside. If the
  // rectangle has the picture's size, each pixel is exactly one texel; else it is filtered linearly.
  void draw(const TextureRing& picture, Rect where, Size target, Orientation orientation = Orientation::upright);

 private:
  struct Shader {
    RectanglePass pass;
    GLint first_centre = -1;
    GLint last_centre = -1;
    GLint top_left = -1;
  };
  Shader& shader_for(TextureFormat format, bool exact);

  double exposure_ = 0;
  GlSampler linear_;  // replaces the planes' own nearest filter
  ChromaMerger chroma_;
  std::map<std::pair<TextureFormat, bool>, Shader> shaders_;  // by format and whether 1:1; created at first use
};

}  // namespace texcast::player
