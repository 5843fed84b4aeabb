#include "texcast/decoder.h"

#include <cstddef>

#include "ref/convert.h"
#include "ref/decode.h"

namespace texcast {

void decode_texture(const TextureView& texture, DecodedImage& image, EndpointExpansion expansion) {
  ref::decode(texture, expansion, image);
}

void convert_to_rgb(const FrameView& frame, DecodedImage& image) { convert_to_channels(frame, 3, image); }

void convert_to_channels(const FrameView& frame, int channels, DecodedImage& image, SampleType samples) {
  const ref::ChannelReader reader(frame, channels, samples);
  image.resize(frame.format.width, frame.format.height, channels, samples);
  const size_t row_bytes =
      static_cast<size_t>(image.width) * static_cast<size_t>(channels) * static_cast<size_t>(sample_bytes(samples));
  for (int y = 0; y < image.height; ++y) reader.read(y, &image.pixels[static_cast<size_t>(y) * row_bytes]);
}

}  // namespace texcast
