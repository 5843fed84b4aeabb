// preconditions.h — checks the preconditions of encoder.h for all encoders; throws Error{misuse} if one is violated.
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
    misused("Encoder::submit", "FrameView::changed must have one byte per tile of the frame, or be empty");
}
inline void require_frames(const Encoder& encoder, const char* function) {
  if (encoder.in_flight() == 0) misused(function, "no frame is in flight");
}
inline void require_ready_bytes(size_t bytes) {
  if (bytes == 0) misused("Encoder::peek", "no part of the oldest frame is ready");
}
inline void require_idle(const Encoder& encoder) {
  if (encoder.in_flight() > 0) misused("Encoder::warm_up", "frames are in flight");
}

}  // namespace texcast
