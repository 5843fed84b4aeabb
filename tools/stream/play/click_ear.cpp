#include "stream/click_ear.h"

#include <algorithm>
#include <cmath>

#include "media/test_sound.h"

namespace texcast::stream {
namespace {

constexpr float kLoud = 0.25F;  // a click has 0.9; filters may ring before it, but more quietly

nanoseconds time_of(double samples, int rate) { return nanoseconds(std::llround(samples * 1e9 / rate)); }

}  // namespace

void ClickEar::hear(std::span<const float> out, AudioFormat card, WallTime given, SteadyTime now, nanoseconds latency,
                    const SoundPlayout& playout) {
  const auto channels = static_cast<size_t>(card.channels);
  for (size_t i = 0; i < out.size() / channels; ++i) {
    const float sample = out[i * channels];
    if (have_ == 0 && std::abs(sample) > kLoud) {
      if (const auto origin = playout.origin(i)) {
        coming_.rate = card.rate;
        coming_.loud = {.captured = origin->captured,
                        .block_end = origin->block_end,
                        .arrived = given - (now - origin->arrived),
                        .given = given,
                        .heard = given + latency + time_of(static_cast<double>(i), card.rate)};
        for (size_t k = 0; k < kBefore; ++k) coming_.samples[k] = past_[(past_next_ + k) % kBefore];
        have_ = kBefore;
      }
    }
    past_[past_next_] = sample;
    past_next_ = (past_next_ + 1) % kBefore;
    if (have_ == 0) continue;
    coming_.samples[have_++] = sample;
    if (have_ < kWindow) continue;
    have_ = 0;
    const std::lock_guard lock(mutex_);
    if (whole_count_ < kKept) whole_[whole_count_++] = coming_;
  }
}

std::vector<HeardClick> ClickEar::take() {
  std::vector<HeardClick> clicks;
  const std::lock_guard lock(mutex_);
  for (const Window& window : std::span(whole_).first(whole_count_)) {
    const auto begin = media::find_click(window.samples, window.rate);
    if (!begin) continue;
    const nanoseconds before =
        time_of(*begin - static_cast<double>(kBefore), window.rate);  // from loud to the beginning
    HeardClick click = window.loud;
    click.captured += before;
    click.heard += before;
    clicks.push_back(click);
  }
  whole_count_ = 0;
  return clicks;
}

}  // namespace texcast::stream
