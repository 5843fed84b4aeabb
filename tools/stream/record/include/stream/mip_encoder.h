// mip_encoder.h — encodes the mip levels of a picture's texture, for files.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/workers.h"
#include "frames/mip_filter.h"
#include "texcast/encoder.h"

namespace texcast::stream {

struct MipSettings {
  MipFilter filter = MipFilter::kaiser;
  bool normals = false;         // the picture is a map of normals (MipContent::normals)
  bool separate_alpha = false;  // its alpha is no opacity: colours are filtered without it
};

// Levels from the second on; they own their memory.
struct MipLevels {
  std::vector<std::vector<std::byte>> blocks;
  std::vector<TextureView> views;  // of `blocks`
};

// How the texels of a picture are averaged for a texture format.
MipRules mip_rules(const MipSettings& settings, TextureFormat texture, const FrameFormat& source);

// Filters the levels into one picture, in which they lie side by side, and encodes that: all levels take one run of the
// device. Not thread-safe.
class MipEncoder {
 public:
  // `settings`: of the picture's encoder. `threads` filter besides the calling one. Throws what make_encoder throws,
  // and Error{usage} for normals in a format of one channel.
  MipEncoder(const EncoderSettings& settings, const MipSettings& mips, int threads = Workers::suggested_threads());

  // Filters the levels of a picture on the CPU and starts their encoding. The picture may then be reused. Misuse if
  // EncoderSettings::frames_in_flight pictures are in flight.
  void submit(const FrameView& picture);
  // Waits for the levels of the oldest picture. Misuse if none is in flight.
  MipLevels next();

 private:
  struct Level {
    TextureDesc desc;
    int left = 0, top = 0;      // texels in the joint picture
    int width = 0, height = 0;  // texels there: `desc`, rounded up to whole blocks of all planes
  };
  void place_levels();
  void repeat_edges(const Level& level);

  TextureDesc top_;
  PictureFilter filter_;
  Workers workers_;
  FrameFormat joint_;  // the picture with all levels
  std::vector<Level> levels_;
  std::vector<std::byte> texels_;     // of the joint picture
  std::unique_ptr<Encoder> encoder_;  // null if there are no levels
  int in_flight_ = 0;                 // pictures without levels
};

}  // namespace texcast::stream
