// clip_textures.h — encodes a clip to textures in memory, for programs that code it repeatedly.
#pragma once

#include <cstddef>
#include <vector>

#include "media/frame_source.h"
#include "ref/convert.h"
#include "texcast/encoder.h"
#include "texcast/image.h"

namespace texcast {

// The textures of the next frames, at most `most` of them. Calls `look` with each frame.
template <typename Look>
std::vector<std::vector<std::byte>> take_textures(media::FrameSource& source, Encoder& encoder, size_t most,
                                                  const Look& look) {
  std::vector<std::vector<std::byte>> textures;
  const auto take = [&] {
    const EncodedFrame frame = encoder.next();
    textures.emplace_back(frame.texture.blocks.begin(), frame.texture.blocks.end());
  };
  for (size_t i = 0; i < most; ++i) {
    const auto frame = source.next();
    if (!frame) break;
    look(frame->view);
    if (encoder.in_flight() == encoder.capacity()) take();
    encoder.submit(frame->view, frame->times);
  }
  while (encoder.in_flight() > 0) take();
  return textures;
}

inline DecodedImage picture_of(const FrameView& frame) {
  DecodedImage image;
  image.resize(frame.format.width, frame.format.height, 3);
  ref::read_rgb(frame, 0, 0, image.width, image.height, image.pixels.data());
  return image;
}

inline std::vector<std::vector<std::byte>> take_textures(media::FrameSource& source, Encoder& encoder, size_t most) {
  return take_textures(source, encoder, most, [](const FrameView&) {});
}

}  // namespace texcast
