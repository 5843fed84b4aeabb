// click_ear.h — hears the clicks of media/time_clicks.h in what a stream's sound player gives to the loudspeaker: when
// each is heard, and where its time went until then.
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

// The beginning of a click, in order of happening. The first two are the sender's clock.
struct HeardClick {
  WallTime captured{};   // as the stream tells of that sample
  WallTime block_end{};  // all of its packet was captured
  WallTime arrived{};    // the packet was here
  WallTime given{};      // to the card
  WallTime heard{};      // as far as the card tells
};

class ClickEar {
 public:
  // On the card's thread: `out` was filled by `playout` and given to the card at `given` (`now` by the other clock);
  // the first of it is heard `latency` later. Allocates nothing.
  void hear(std::span<const float> out, AudioFormat card, WallTime given, SteadyTime now, nanoseconds latency,
            const SoundPlayout& playout);
  // Those since the last call; from any thread.
  std::vector<HeardClick> take();

 private:
  static constexpr size_t kBefore = 192, kWindow = 3 * kBefore;  // samples: 4 ms before it is loud, and 8 behind that
  static constexpr size_t kKept = 16;                            // until take(); of more the newest are lost
  struct Window {
    std::array<float, kWindow> samples{};
    HeardClick loud{};  // of its sample kBefore
    int rate = 0;
  };

  std::array<float, kBefore> past_{};  // the newest samples; the oldest lies at past_next_
  size_t past_next_ = 0;
  Window coming_;
  size_t have_ = 0;  // samples of coming_; 0: there is no click
  std::mutex mutex_;
  std::array<Window, kKept> whole_;  // with mutex_
  size_t whole_count_ = 0;
};

}  // namespace texcast::stream
