// recording_sound.h — the sound of a recording until its writing thread takes it, placed where the picture's clock
// says.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "live/block_pool.h"
#include "media/recorded_sound.h"
#include "stream/sound_block.h"

namespace texcast::stream {

// When sound belongs in a stream whose frames say when they were available and what their time stamps are. Pure
// arithmetic. Where the sender tells no times, what came at the same time belongs together.
class SoundPlace {
 public:
  void on_frame(nanoseconds pts, WallTime available, SteadyTime arrived, bool new_stream);
  // On the time line of the frames' time stamps; nothing before the first frame. To be asked of each block once.
  std::optional<nanoseconds> of(const SoundBlock& block);

 private:
  std::optional<nanoseconds> captured_;  // wall time of time stamp 0
  std::optional<nanoseconds> arrived_;   // the same on our steady clock, of the frame that was the quickest
  std::optional<nanoseconds> next_;      // behind the last block that had no time of its own
  nanoseconds off_{};                    // how far behind that blocks come, in the mean
};

// Pieces that wait for the writing thread: at most kMostSeconds, of more the oldest go.
class WaitingSound {
 public:
  static constexpr int kMostSeconds = 4;
  struct Piece {
    SoundBlock block{};  // but its samples:
    std::vector<float> samples{};
  };
  void put(const SoundBlock& block);
  bool empty() const { return pieces_.empty(); }
  std::deque<Piece> take() { return std::exchange(pieces_, {}); }

 private:
  std::deque<Piece> pieces_;
};

}  // namespace texcast::stream
