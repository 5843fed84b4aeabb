// sound_place.h — the place of a stream's sound on the time line of its pictures.
#pragma once

#include <optional>

#include "live/picture_clock.h"
#include "live/sound_block.h"

namespace texcast::stream {

// Places sound on the time line of a stream whose frames carry time stamps and the time at which they were available.
// If the sender gives no times, sound and frames that arrived at the same time belong together. No threads, no clock.
class SoundPlace {
 public:
  void on_frame(nanoseconds pts, WallTime available, SteadyTime arrived, bool new_stream);
  // The block's place among the frames' time stamps; nullopt before the first frame. Call it once for each block.
  std::optional<nanoseconds> of(const SoundBlock& block);

 private:
  PictureClock pictures_;
  std::optional<nanoseconds> arrived_;  // the steady time of time stamp 0, by the frame with the shortest transit
  std::optional<nanoseconds> next_;     // the end of the last block that had no time of its own
  nanoseconds off_{};                   // how much later than that blocks arrive, on average
};

}  // namespace texcast::stream
