#include "texcast/decoder.h"

#include <algorithm>

#include "ref/convert.h"
#include "ref/decode.h"

namespace texcast {

void decode_texture(const TextureView& texture, DecodedImage& image, EndpointExpansion expansion) {
  ref::decode(texture, expansion, image);
}

void convert_to_rgb(const FrameView& frame, DecodedImage& image) { convert_to_channels(frame, 3, image); }

void convert_to_channels(const FrameView& frame, int channels, DecodedImage& image) {
  const ref::FrameReader reader(frame);
  image.resize(frame.format.width, frame.format.height, channels);
  uint8_t* pixel = image.pixels.data();
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x, pixel += channels) {
      if (channels == 1) {
        *pixel = static_cast<uint8_t>(reader.alpha_or_luma(x, y));
        continue;
      }
      const auto rgb = reader.rgb(x, y);
      for (size_t c = 0; c < std::min<size_t>(static_cast<size_t>(channels), 3); ++c)
        pixel[c] = static_cast<uint8_t>(rgb[c]);
      if (channels == 4) pixel[3] = static_cast<uint8_t>(reader.alpha(x, y));
    }
}

}  // namespace texcast
