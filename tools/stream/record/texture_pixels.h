// texture_pixels.h — the pixels in which pictures are filtered for a texture format.
#pragma once

#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/image.h"

namespace texcast::stream {

// With the precision that the format's encoder reads.
struct TexturePixels {
  PixelFormat format;
  int channels;       // that are filtered
  int texel_samples;  // with a third channel of zeros beside two, as every pixel format has at least three
  SampleType samples;
};
TexturePixels pixels_of(TextureFormat format);

// A frame of such pixels that was filtered from a frame of `source`.
FrameFormat filtered_format(TextureFormat texture, const FrameFormat& source, int width, int height);

}  // namespace texcast::stream
