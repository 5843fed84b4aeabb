// slow_stream.h — streams whose frames arrive complete, however long the machine lets the sender wait between two
// packets. A receiver delivers an incomplete frame after the stream's frame time, so theirs is a minute.
#pragma once

#include "texcast/stream_sender.h"

namespace texcast {

inline constexpr double kSlowFps = 1. / 60;

inline StreamSenderSettings slow_stream(StreamSenderSettings settings) {
  settings.fps = kSlowFps;
  settings.spread = 1e-4;  // of the minute: packets still leave within 6 ms
  return settings;
}

}  // namespace texcast
