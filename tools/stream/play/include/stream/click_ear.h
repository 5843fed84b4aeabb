// click_ear.h — detects the clicks of media/time_clicks.h in the sound that goes to the loudspeaker: when each is
// heard, and when it passed each stage before.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "base/audio_format.h"
#include "stream/sound_playout.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

// The times of a click's beginning, in order. The first two are on the sender's clock.
struct HeardClick {
  WallTime captured{};   // by the stream's time stamps
  WallTime block_end{};  // all of its packet was captured
  WallTime arrived{};    // the packet was received
  WallTime given{};      // the sample was given to the sound card
  WallTime heard{};      // by the sound card's latency
};

class ClickEar {
 public:
  // On the sound card's thread: `playout` has filled `out`, which was given to the card at `given` (`now` on the steady
  // clock); its first sample is heard `latency` later. Allocates nothing.
  void hear(std::span<const float> out, AudioFormat card, WallTime given, SteadyTime now, nanoseconds latency,
            const SoundPlayout& playout);
  // The clicks since the last call; from any thread.
  std::vector<HeardClick> take();

 private:
  static constexpr size_t kBefore = 192, kWindow = 3 * kBefore;  // samples: 4 ms before it is loud, and 8 ms after
  static constexpr size_t kKept = 16;                            // until take(); further ones are lost
  struct Window {
    std::array<float, kWindow> samples{};
    HeardClick loud{};  // the times of its sample kBefore
    int rate = 0;
  };

  std::array<float, kBefore> past_{};  // the newest samples; the oldest is at past_next_
  size_t past_next_ = 0;
  Window coming_;
  size_t have_ = 0;  // samples in coming_; 0: there is no click
  std::mutex mutex_;
  std::array<Window, kKept> whole_;  // with mutex_
  size_t whole_count_ = 0;
};

}  // namespace texcast::stream
