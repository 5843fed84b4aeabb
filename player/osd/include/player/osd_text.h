// osd_text.h — renders lines of text as a picture of coverage values, on the CPU, from glyphs that SDL_ttf has drawn
// once. No OpenGL. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace texcast::player {

struct TextPanel {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> coverage;  // 0: no ink on the pixel, 255: all of it; width * height, top row first
};

class OsdText {
 public:
  // Loads the font. If that fails, logs it once; then usable() is false and panels are empty.
  explicit OsdText(std::string font_file);
  ~OsdText();
  bool usable() const { return usable_; }
  int border() const;  // pixels around the text of the last panel

  // Lays out `lines` (UTF-8) in glyphs of about `pixel_height`, clipped to max_width x max_height pixels. Text before a
  // line's first tab is dimmer; text after it begins in a column that is the same for all lines. Reuses the memory of
  // `panel`; glyphs are drawn again only when pixel_height changes.
  void render(std::span<const std::string> lines, int pixel_height, int max_width, int max_height, TextPanel& panel);

 private:
  struct Atlas;
  bool load(int pixel_height);

  std::string font_file_;
  std::unique_ptr<Atlas> atlas_;
  bool usable_ = false;
};

}  // namespace texcast::player
