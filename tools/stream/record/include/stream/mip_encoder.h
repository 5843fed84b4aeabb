// mip_encoder.h — encodes the mip levels of a picture's texture, for files.
#pragma once

#include <memory>
#include <vector>

#include "frames/mip_filter.h"
#include "texcast/encoder.h"
#include "texcast/image.h"

namespace texcast::stream {

// Levels from the second on; they own their memory.
struct MipLevels {
  std::vector<std::vector<std::byte>> blocks;
  std::vector<TextureView> views;  // of `blocks`
};

// Scales each level down from the source picture, not from the larger level, and encodes it like the picture.
// Not thread-safe.
class MipEncoder {
 public:
  // `settings`: of the picture's encoder. Throws what make_encoder throws.
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
  DecodedImage source_, shrunk_;  // the picture; one level
};

}  // namespace texcast::stream
