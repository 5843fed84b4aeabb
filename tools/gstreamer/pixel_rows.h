// pixel_rows.h — rows of a decoded picture in packed formats of raw video.
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <optional>

#include "texcast/image.h"

namespace texcast::gstreamer {

// Byte offsets in a pixel.
struct PixelLayout {
  int bytes = 0;  // of a pixel
  int red = 0, green = 0, blue = 0;
  int alpha = -1;  // or the unused byte, which is written as 255; -1: none
  bool is_gray = false;
};

// Nothing if the format is not one of 8 bits, packed, in RGB or gray.
std::optional<PixelLayout> pixel_layout(const GstVideoInfo& info);

// Writes row `y` of `image` to `out`. Half floats are converted from linear light to sRGB; samples of 16 bits are cut
// to 8. Gray becomes red, green and blue. Only images of one channel can be written as gray.
void write_row(const DecodedImage& image, int y, const PixelLayout& layout, uint8_t* out);

}  // namespace texcast::gstreamer
