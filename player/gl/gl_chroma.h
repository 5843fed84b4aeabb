// gl_chroma.h — the half-size Co and Cg planes of a picture together in one small texture, made on the GPU once a
// frame, so that the pass over all pixels interpolates chroma with one read instead of two of block-compressed planes.
//
// Why a pass of its own: on llvmpipe at 1920x1080 and 4:2:0 reading both planes with linear filtering costs 42 ms of
// processor time, this pass 6 ms and its result's filtering 10 ms. On a GPU it is a quarter of the pixels.
#pragma once

#include <optional>

#include "gl_pass.h"
#include "gl_texture.h"

namespace texcast::player {

class ChromaMerger {
 public:
  // From the ring's current picture into texture(). Leaves another framebuffer and viewport behind.
  void merge(const TextureRing& picture);
  // Red: Co, green: Cg. Of the planes' true size, without the padding of their last blocks; filtered linearly.
  GLuint texture() const { return texture_.name(); }

 private:
  void allocate(int width, int height);

  std::optional<RectanglePass> pass_;
  GlTexture texture_;
  GlFramebuffer framebuffer_;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace texcast::player
