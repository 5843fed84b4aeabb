// coded_picture.h — a frame, encoded and decoded by the reference.
#pragma once

#include <vector>

#include "frames/tone_map.h"
#include "ref/encode.h"
#include "texcast/decoder.h"
#include "texcast/format.h"
#include "texcast/frame.h"

namespace texcast::test {

inline DecodedImage coded_picture(const FrameView& frame, TextureFormat format, Method method) {
  const TextureDesc desc{.format = format, .width = frame.format.width, .height = frame.format.height};
  std::vector<std::byte> blocks(texture_layout(desc).total_bytes);
  ref::encode(frame, format, method, blocks);
  DecodedImage image;
  decode_texture({desc, blocks}, image);
  if (image.samples != SampleType::half) return image;
  DecodedImage shown;
  to_shown_bytes(image, desc.color, 0, shown);
  return shown;
}

}  // namespace texcast::test
