// sound_playout.h — which samples of a live stream are heard when: in step with the picture, or as soon as the network
// allows; at the rate of the card, which is not the sender's. Pure: time is an argument.
//
//   heard at  =  captured at, on the sender's clock  +  lag
//
// The lag is the picture's, from when a frame was available to when it was shown: those are times of the same two
// clocks, so nobody has to know how far these are apart. Where the sound cannot be there as soon as that, or there is
// no picture, it is what the sound itself needs: PlayoutClock's, and the card's buffers. What differs from it is taken
// up by reading faster or slower, by half a percent at most; what is more than 40 ms, by a jump with a short fade.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/audio_format.h"
#include "media/rate_follower.h"
#include "media/sinc_interpolator.h"
#include "stream/playout_clock.h"
#include "stream/sound_block.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

struct SoundPlayoutState {
  bool playing = false;
  nanoseconds lag{};             // from captured to heard, between two clocks with unrelated zeros
  nanoseconds behind_picture{};  // how much later than the picture; 0 where there is none
  nanoseconds error{};           // of what is heard now: positive is late
  double drift_ppm = 0;          // of the card against the sender
  uint64_t jumps = 0;            // that were heard, the beginning not counted
  uint64_t missing = 0;          // samples that were not there in time
};

// The way of one sample until it was given to the card.
struct SoundOrigin {
  WallTime captured{};   // on the sender's clock
  WallTime block_end{};  // when the last of its block was
  SteadyTime arrived{};  // its block, on ours
};

// Not thread-safe. Allocates nothing after the first block of a stream.
class SoundPlayout {
 public:
  // `card`: what fill() is for. `card_latency`: from fill() to when its first sample is heard; `card_buffer`: how much
  // is asked for at a time.
  SoundPlayout(AudioFormat card, nanoseconds card_latency, nanoseconds card_buffer);

  void put(const SoundBlock& block);
  // A frame was shown at `shown`, which had been available at `available` (sender's clock).
  void on_picture(WallTime available, SteadyTime shown);
  // Fills `out` (interleaved, of the card's channels), whose first sample is heard at `heard`; silence where there is
  // nothing.
  void fill(std::span<float> out, SteadyTime heard);
  const SoundPlayoutState& state() const { return state_; }
  // Of a frame that the last fill() gave. Nothing where that was silence for want of sound, or of a sender that tells
  // no times.
  std::optional<SoundOrigin> origin(size_t frame) const;

 private:
  // Sample `sample` was captured then; those behind it follow at the stream's rate, up to the next mark.
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
  std::vector<float> ring_;  // interleaved, kRing frames; sample n lies at n % kRing
  int64_t end_ = 0;          // behind the newest sample
  int64_t first_ = 0;        // the oldest that is there
  std::deque<Mark> marks_;
  double place_ = 0;                          // of the sample that is heard next
  double filled_from_ = 0, filled_step_ = 0;  // places of the last fill(); no step: it was silence
  bool knows_times_ = false;                  // what the sender says of them
  float gain_ = 0;                            // glides: 0 where there is nothing to hear
  media::RateFollower follower_;
  PlayoutClock clock_{std::nullopt};  // of the sound alone
  std::optional<nanoseconds> own_lag_;
  std::optional<nanoseconds> picture_lag_;
  SteadyTime picture_at_{};  // when the last one was shown
  SteadyTime settled_at_{}, placed_at_{};
  int pictures_ = 0;      // that picture_lag_ is the mean of
  int pictures_off_ = 0;  // in a row, far from picture_lag_
  SoundPlayoutState state_;
};

}  // namespace texcast::stream
