// gl_overlay.h — draws what lies over the picture: panels of text and the seek bar.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gl_box.h"
#include "gl_text.h"
#include "player/geometry.h"
#include "player/osd_text.h"
#include "player/presenter.h"
#include "player/seek_bar.h"

namespace texcast::player {

class OverlayRenderer {
 public:
  explicit OverlayRenderer(const std::string& font_file);
  // Into the framebuffer that is bound, of `target` pixels.
  void draw(const Overlay& overlay, Size target);

 private:
  void place(std::span<const TextBlock> texts, Size target);
  void draw_seek_bar(const SeekBar& bar, Size target);
  void draw_label(const std::string& words, GlText& text, const Rect& where, bool to_the_right, Size target);
  void draw_pointed(const SeekBar& bar, const SeekBarLayout& layout, Size target);

  // Compiled when first needed; text not at all where there is no font.
  struct Passes {
    BoxPass box;
    TextPass text;
  };
  OsdText text_;
  std::optional<Passes> passes_;
  struct Block {
    GlText text{};
    Rect panel{};  // empty: not to be drawn
  };
  std::vector<Block> blocks_;
  GlText position_;
  GlText duration_;
  GlText pointed_;
};

}  // namespace texcast::player
