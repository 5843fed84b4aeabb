// preconditions.h — what encoder.h asks of its callers, in one place for all encoders: Error{misuse} where it is not
// so.
#pragma once

#include "base/misuse.h"
#include "frames/require_frame.h"
#include "texcast/encoder.h"

namespace texcast {

inline void require_room(const Encoder& encoder) {
  if (encoder.in_flight() >= encoder.capacity())
    misused("Encoder::submit", "as many frames as fit are in flight: next() makes room");
}
inline void require_frame(const FrameView& frame, const FrameFormat& promised) {
  if (frame.format != promised) misused("Encoder::submit", "the frame's format is not the one in EncoderSettings");
  require_readable(frame, "Encoder::submit");
  if (!frame.changed.empty() && frame.changed.size() != tile_raster(promised.width, promised.height).count())
    misused("Encoder::submit", "FrameView::changed has a byte for each tile of the frame, or none");
}
inline void require_frames(const Encoder& encoder, const char* function) {
  if (encoder.in_flight() == 0) misused(function, "no frame is in flight");
}
inline void require_ready_bytes(size_t bytes) {
  if (bytes == 0) misused("Encoder::peek", "nothing of the oldest frame is ready");
}
inline void require_idle(const Encoder& encoder) {
  if (encoder.in_flight() > 0) misused("Encoder::warm_up", "frames are in flight");
}

}  // namespace texcast
