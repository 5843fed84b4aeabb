// recording_sound.h — the sound of a recording until the writing thread takes it, and its place on the time line of the
// pictures.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "media/recorded_sound.h"
#include "stream/sound_block.h"
#include "textures/block_pool.h"

namespace texcast::stream {

// Places sound on the time line of a stream whose frames carry time stamps and the time at which they were available.
// If the sender gives no times, sound and frames that arrived at the same time belong together. No threads, no clock.
class SoundPlace {
 public:
  void on_frame(nanoseconds pts, WallTime available, SteadyTime arrived, bool new_stream);
  // The block's place among the frames' time stamps; nullopt before the first frame. Call it once for each block.
  std::optional<nanoseconds> of(const SoundBlock& block);

 private:
  std::optional<nanoseconds> captured_;  // wall time of time stamp 0
  std::optional<nanoseconds> arrived_;   // the same on our steady clock, by the frame with the shortest transit
  std::optional<nanoseconds> next_;      // the end of the last block that had no time of its own
  nanoseconds off_{};                    // how much later than that blocks arrive, on average
};

// Pieces that wait for the writing thread. Above kMostSeconds the oldest are dropped.
class WaitingSound {
 public:
  static constexpr int kMostSeconds = 4;
  struct Piece {
    SoundBlock block{};  // its samples are in `samples`
    std::vector<float> samples{};
  };
  void put(const SoundBlock& block);
  bool empty() const { return pieces_.empty(); }
  std::deque<Piece> take() { return std::exchange(pieces_, {}); }

 private:
  std::deque<Piece> pieces_;
};

}  // namespace texcast::stream
