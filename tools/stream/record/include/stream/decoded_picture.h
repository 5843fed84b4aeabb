// decoded_picture.h — decodes textures to upright pictures, one after the other, on the CPU.
#pragma once

#include "texcast/decoder.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/image.h"
#include "texcast/shape.h"

namespace texcast::stream {

struct DecodingSettings {
  EndpointExpansion expansion = EndpointExpansion::ffmpeg;
  bool keeps_floats = false;  // else half floats (bc6h), which are linear light, are tone-mapped to bytes
  double exposure = 0;        // stops, of the tone mapping
};

// Not thread-safe.
class DecodedPicture {
 public:
  explicit DecodedPicture(const TextureDesc& texture, const DecodingSettings& settings = {});

  // The same for all pictures.
  int width() const { return swaps_ ? texture_.height : texture_.width; }
  int height() const { return swaps_ ? texture_.width : texture_.height; }
  int channels() const { return channel_count(texture_.format); }
  SampleType samples() const { return is_shown_ ? SampleType::unorm8 : samples_; }
  PixelAspect aspect() const { return swaps_ ? texture_.aspect.turned() : texture_.aspect; }
  bool is_tone_mapped() const { return is_shown_; }

  // The picture of a texture of the same description. Valid until the next call.
  const DecodedImage& of(const TextureView& texture);

 private:
  const TextureDesc texture_;
  const DecodingSettings settings_;
  const SampleType samples_;  // of the blocks
  const bool is_shown_;       // tone-mapped
  const bool swaps_;          // width and height
  DecodedImage image_, shown_;
};

}  // namespace texcast::stream
