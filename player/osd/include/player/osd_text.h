// osd_text.h — lines of text as a picture of coverage values, made on the CPU from a glyph atlas. No OpenGL.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace texcast::player {

// 0: panel, 255: full glyph. Tightly packed rows, top row first.
struct TextPanel {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> coverage;
};

class OsdText {
 public:
  // Reads the font. When it cannot be had, says so once in the log; then usable() is false and panels are empty.
  explicit OsdText(std::string font_file);
  ~OsdText();
  bool usable() const { return usable_; }
  int border() const;  // pixels around the text of the last panel

  // Lays out `lines` (UTF-8) in glyphs of about `pixel_height`, cut to max_width x max_height pixels. What precedes a
  // line's first tab is dimmer; what follows it begins in a column of its own, the same for all lines. Reuses the
  // memory of `panel`; the atlas is made anew only when pixel_height changes.
  void render(std::span<const std::string> lines, int pixel_height, int max_width, int max_height, TextPanel& panel);

 private:
  struct Atlas;
  bool load(int pixel_height);

  std::string font_file_;
  std::unique_ptr<Atlas> atlas_;
  bool usable_ = false;
};

}  // namespace texcast::player
