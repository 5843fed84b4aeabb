// test_digits.h — seven-segment digits on the test card: layout, drawing, reading.
//
//      aaaa        A glyph is 4 units wide and 7 high, strokes one unit thick; the next one starts 5 units further.
//     f    b       Glyphs are in a black box that extends one unit beyond them on every side. Boxes start on
//     f    b       multiples of 8 texels, so that a 4x4 block at their corner, of luma or of half-size chroma,
//      gggg        contains nothing of the surrounding picture.
//     e    c
//     e    c
//      dddd
//
// Thread-safe: functions only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "texcast/image.h"

namespace texcast::media {

struct DigitBox {
  int x = 0;  // texels
  int y = 0;
  int unit = 0;  // texels; 0: there is no room for this box
  int width = 0;
  int height = 0;
};

struct DigitLayout {
  DigitBox number;
  int number_digits = 0;
  DigitBox time;  // "HH:MM:SS.mmm"
};
// For a card of this size in texels; each side is kMinTestCardSize or more.
DigitLayout digit_layout(int width, int height);

// One plane of 8-bit samples.
struct LumaPlane {
  uint8_t* data;
  int stride;  // bytes
};
// Fills the box with black and writes `text`: digits, ':' and '.'.
void draw_text(LumaPlane plane, const DigitBox& box, std::string_view text);

// Reads `digits` digits from the box; nothing if a stroke is neither clearly lit nor clearly dark, or the strokes form
// no digit.
std::optional<uint32_t> read_digits(const DecodedImage& image, const DigitBox& box, int digits);

}  // namespace texcast::media
