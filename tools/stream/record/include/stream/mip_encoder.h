// mip_encoder.h — the smaller levels of a picture's texture, for files.
#pragma once

#include <memory>
#include <vector>

#include "frames/mip_filter.h"
#include "texcast/encoder.h"
#include "texcast/image.h"

namespace texcast::stream {

// Levels from the second on, with memory of their own.
struct MipLevels {
  std::vector<std::vector<std::byte>> blocks;
  std::vector<TextureView> views;  // of them
};

// Makes each level from the source picture itself, not from the level before, and encodes it as the picture is encoded.
// Not thread-safe.
class MipEncoder {
 public:
  // `settings` are those of the picture's own encoder. Throws as make_encoder does.
  MipEncoder(const EncoderSettings& settings, MipFilter filter);
  MipLevels encode(const FrameView& picture);

 private:
  struct Level {
    TextureDesc desc;
    FrameFormat format;
    std::unique_ptr<Encoder> encoder;
  };
  MipFilter filter_;
  MipCurve curve_;
  std::vector<Level> levels_;
  DecodedImage source_, shrunk_;  // the picture, a level of it
};

}  // namespace texcast::stream
