// sound_playout.h — which samples of a live stream are heard when: in sync with the picture, or as soon as the network
// allows, at the sound card's rate, which differs from the sender's. Time is an argument.
//
//   heard at  =  captured at, on the sender's clock  +  lag
//
// The lag is the picture's, from when a frame was available to when it was shown: both times are on the same two
// clocks, so the clocks' offset need not be known. If the sound cannot arrive that soon, or there is no picture, the
// lag is what the sound itself needs: PlayoutClock's lag plus the card's buffers. A difference is corrected by
// resampling, by half a percent at most; more than 40 ms by a jump with a short fade.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/audio_format.h"
#include "live/sound_block.h"
#include "media/rate_follower.h"
#include "media/sinc_interpolator.h"
#include "playout/picture_lag.h"
#include "playout/playout_clock.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

struct SoundPlayoutState {
  bool playing = false;
  nanoseconds lag{};             // from captured to heard, between two clocks with unrelated zeros
  nanoseconds behind_picture{};  // how much later than the picture; 0 without a picture
  nanoseconds error{};           // of the current sound; positive: late
  double drift_ppm = 0;          // of the sound card's clock against the sender's
  uint64_t jumps = 0;            // audible ones, without the first
  uint64_t missing = 0;          // samples that did not arrive in time
};

// The times of a sample before it was given to the card.
struct SoundOrigin {
  WallTime captured{};   // on the sender's clock
  WallTime block_end{};  // when the last sample of its block was captured
  SteadyTime arrived{};  // its block, on our clock
};

// Not thread-safe. Allocates nothing after the first block of a stream.
class SoundPlayout {
 public:
  // `card`: the format of fill(). `card_latency`: from fill() until its first sample is heard. `card_buffer`: the
  // duration of one fill().
  SoundPlayout(AudioFormat card, nanoseconds card_latency, nanoseconds card_buffer);

  void put(const SoundBlock& block);
  // A frame that was available at `available` (sender's clock) was shown at `shown`.
  void on_picture(WallTime available, SteadyTime shown) { picture_lag_.on_picture(available, shown); }
  // Fills `out` (interleaved, with the card's channels), whose first sample is heard at `heard`, with silence where
  // sound is missing.
  void fill(std::span<float> out, SteadyTime heard);
  const SoundPlayoutState& state() const { return state_; }
  // The origin of a sample frame of the last fill(). nullopt if it was silence because sound was missing, or if the
  // sender gives no times.
  std::optional<SoundOrigin> origin(size_t frame) const;

 private:
  // `sample` was captured at `captured`; the following ones at the stream's rate, up to the next mark.
  struct Mark {
    int64_t sample = 0;
    nanoseconds captured{};
    nanoseconds length{};
    SteadyTime arrived{};
  };
  const Mark& mark_of(double sample) const;
  void begin(const SoundBlock& block);
  nanoseconds captured_at(double sample) const;
  double sample_captured_at(nanoseconds captured) const;
  nanoseconds wanted_lag(SteadyTime now);
  void seek(double sample);
  float stream_sample(double place, size_t channel) const;
  double begin_of_ring() const;

  const AudioFormat card_;
  const nanoseconds card_latency_, card_buffer_;
  AudioFormat format_{.rate = 0, .channels = 0};  // of the stream
  std::optional<media::SincInterpolator> sinc_;
  std::vector<float> ring_;  // interleaved, kRing frames; sample n is at n % kRing
  int64_t end_ = 0;          // after the newest sample
  int64_t first_ = 0;        // the oldest sample in the ring
  std::deque<Mark> marks_;
  double place_ = 0;                          // of the sample that is heard next
  double filled_from_ = 0, filled_step_ = 0;  // of the last fill(); step 0: it was silence
  bool knows_times_ = false;                  // the sender gives times
  float gain_ = 0;                            // fades; 0 where sound is missing
  media::RateFollower follower_;
  PlayoutClock clock_{std::nullopt};  // of the sound, without the picture
  std::optional<nanoseconds> own_lag_;
  PictureLag picture_lag_;
  SteadyTime settled_at_{}, placed_at_{};
  SoundPlayoutState state_;
};

}  // namespace texcast::stream
