// unsent_frames.h — submits the first frame of a source to an encoder before the stream begins, without sending it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "texcast/encoder.h"
#include "texcast/frame.h"
#include "texcast/tiles.h"

namespace texcast::stream {

// Not thread-safe.
class UnsentFrames {
 public:
  void submit(Encoder& encoder, const FrameView& frame) {
    has_encoded_ = true;
    encoder.submit(marked(frame), {});
  }
  // The frame as the encoder should get it: the first frame of the stream is marked as completely changed, because the
  // encoder's previous frame was not sent. Valid until the next call.
  FrameView in_stream(FrameView frame) { return std::exchange(has_encoded_, false) ? marked(frame) : frame; }

 private:
  FrameView marked(FrameView frame) {
    all_changed_.assign(tile_raster(frame.format.width, frame.format.height).count(), 1);
    frame.changed = all_changed_;
    return frame;
  }

  std::vector<uint8_t> all_changed_;
  bool has_encoded_ = false;  // since the last frame of the stream
};

}  // namespace texcast::stream
