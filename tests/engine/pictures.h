// pictures.h — frames that own their memory, and their blocks by the reference encoder.
#pragma once

#include <cstddef>
#include <vector>

#include "encoders.h"
#include "ref/encode.h"

namespace texcast::test {

struct Picture {
  FrameFormat format;
  FramePlacement placed = place_frame(format);
  std::vector<std::byte> bytes = std::vector<std::byte>(placed.padded_bytes);

  FrameView view() const {
    FrameView view{format, {}};
    for (size_t p = 0; p < static_cast<size_t>(plane_count(format.pixel_format)); ++p)
      view.planes[p] = {bytes.data() + placed.offset[p], placed.stride[p]};
    return view;
  }
};

inline std::vector<std::byte> blocks_of(const EncoderSettings& settings, const Picture& picture) {
  std::vector<std::byte> blocks(
      texture_layout(settings.texture, settings.source.width, settings.source.height).total_bytes);
  ref::encode(picture.view(), settings.texture, method_of(settings), blocks, settings.options);
  return blocks;
}

}  // namespace texcast::test
