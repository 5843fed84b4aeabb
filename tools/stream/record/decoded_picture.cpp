#include "stream/decoded_picture.h"

#include "frames/tone_map.h"

namespace texcast::stream {

DecodedPicture::DecodedPicture(const TextureDesc& texture, const DecodingSettings& settings)
    : texture_(texture),
      settings_(settings),
      samples_(plane_coding(texture.format, 0).sample_type),
      is_shown_(samples_ == SampleType::half && !settings.keeps_floats),
      swaps_(swaps_sides(texture.orientation)) {}

const DecodedImage& DecodedPicture::of(const TextureView& texture) {
  decode_texture(texture, image_, settings_.expansion);
  orient(image_, texture_.orientation);
  if (!is_shown_) return image_;
  to_shown_bytes(image_, texture_.color, settings_.exposure, shown_);
  return shown_;
}

}  // namespace texcast::stream
