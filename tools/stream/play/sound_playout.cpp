#include "stream/sound_playout.h"

#include <algorithm>
#include <cmath>

namespace texcast::stream {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr size_t kRing = size_t{1} << 17;  // frames: 2.7 s at 48 kHz
constexpr nanoseconds kSlack = 3ms;        // reserve, besides a fade and half a window, for sound to arrive in time
constexpr nanoseconds kSoundJump = 40ms;   // larger errors are not corrected by resampling
// At the beginning neither the network's jitter nor the picture's lag is known well: then smaller errors cause a jump,
// at most one in half a second.
constexpr nanoseconds kSettlingTime = 4s, kSettlingStep = 500ms, kSettlingJump = 8ms;
constexpr nanoseconds kRunAway = 5ms;    // ahead by this much when no samples are left: jump
constexpr double kFadeSeconds = 0.0025;  // from silence to full gain

using Sinc = media::SincInterpolator;

nanoseconds nanoseconds_of(double seconds) { return nanoseconds(std::llround(seconds * 1e9)); }

}  // namespace

SoundPlayout::SoundPlayout(AudioFormat card, nanoseconds card_latency, nanoseconds card_buffer)
    : card_(card), card_latency_(card_latency), card_buffer_(card_buffer) {}

void SoundPlayout::begin(const SoundBlock& block) {
  if (format_.rate != block.format.rate || format_.channels != block.format.channels) {
    format_ = block.format;
    sinc_.emplace(std::min(1.0, static_cast<double>(card_.rate) / format_.rate));
    ring_.assign(kRing * static_cast<size_t>(format_.channels), 0.0F);
  }
  end_ = first_ = 0;
  marks_.clear();
  follower_.forget();
  own_lag_.reset();
  state_.playing = false;
  gain_ = 0;
}

// If the sender gives no times, samples are counted from the arrival of the first.
void SoundPlayout::put(const SoundBlock& block) {
  const bool fresh = block.new_stream || block.format.rate != format_.rate || block.format.channels != format_.channels;
  if (fresh) begin(block);
  const auto channels = static_cast<size_t>(format_.channels);
  const auto frames = static_cast<int64_t>(block.samples.size() / channels);
  nanoseconds captured = block.captured.time_since_epoch();
  knows_times_ = block.captured != WallTime{};
  if (!knows_times_) captured = marks_.empty() ? nanoseconds(1s) : captured_at(static_cast<double>(end_));
  for (int64_t i = 0; i < frames; ++i)
    for (size_t c = 0; c < channels; ++c)
      ring_[static_cast<size_t>(end_ + i) % kRing * channels + c] =
          block.samples[static_cast<size_t>(i) * channels + c];
  const nanoseconds length = nanoseconds_of(static_cast<double>(frames) / format_.rate);
  marks_.push_back({.sample = end_, .captured = captured, .length = length, .arrived = block.arrived});
  end_ += frames;
  first_ = std::max(first_, end_ - static_cast<int64_t>(kRing));
  while (marks_.size() > 1 && marks_[1].sample <= first_) marks_.pop_front();
  if (block.concealed) return;  // its arrival is when it was given up, which says nothing about the network
  const SteadyTime due =
      clock_.due({.pts = captured, .arrived = block.arrived, .frame_time = length, .new_stream = fresh});
  own_lag_ = due.time_since_epoch() - captured + card_latency_ + card_buffer_ + kSlack +
             nanoseconds_of(kFadeSeconds + static_cast<double>(Sinc::kTaps) / 2 / format_.rate);
}

const SoundPlayout::Mark& SoundPlayout::mark_of(double sample) const {
  const Mark* mark = &marks_.front();
  for (const Mark& one : marks_)
    if (static_cast<double>(one.sample) <= sample) mark = &one;
  return *mark;
}

nanoseconds SoundPlayout::captured_at(double sample) const {
  const Mark& mark = mark_of(sample);
  return mark.captured + nanoseconds_of((sample - static_cast<double>(mark.sample)) / format_.rate);
}

std::optional<SoundOrigin> SoundPlayout::origin(size_t frame) const {
  const double place = filled_from_ + static_cast<double>(frame) * filled_step_;
  if (!knows_times_ || filled_step_ <= 0 || place < static_cast<double>(first_) || place >= static_cast<double>(end_))
    return std::nullopt;
  const Mark& mark = mark_of(place);
  return SoundOrigin{.captured = WallTime(captured_at(place)),
                     .block_end = WallTime(mark.captured + mark.length),
                     .arrived = mark.arrived};
}

double SoundPlayout::sample_captured_at(nanoseconds captured) const {
  const Mark* mark = &marks_.front();
  for (const Mark& one : marks_)
    if (one.captured <= captured) mark = &one;
  return static_cast<double>(mark->sample) + in_seconds(captured - mark->captured) * format_.rate;
}

nanoseconds SoundPlayout::wanted_lag(SteadyTime now) {
  const std::optional<nanoseconds> picture = picture_lag_.at(now);
  const nanoseconds lag = std::max(picture.value_or(*own_lag_), *own_lag_);
  state_.behind_picture = picture ? lag - *picture : nanoseconds{};
  return lag;
}

double SoundPlayout::begin_of_ring() const { return static_cast<double>(first_) + static_cast<double>(Sinc::kBefore); }

float SoundPlayout::stream_sample(double place, size_t channel) const {
  const auto channels = static_cast<size_t>(format_.channels);
  const auto whole = static_cast<int64_t>(std::floor(place));
  const int64_t begin = whole - static_cast<int64_t>(Sinc::kBefore);
  if (begin < first_ || begin + static_cast<int64_t>(Sinc::kTaps) > end_) return 0;
  const size_t at = static_cast<size_t>(begin) % kRing;
  const double fraction = place - static_cast<double>(whole);
  if (at + Sinc::kTaps <= kRing) return sinc_->at(&ring_[at * channels + channel], channels, fraction);
  float window[Sinc::kTaps];
  for (size_t i = 0; i < Sinc::kTaps; ++i) window[i] = ring_[(at + i) % kRing * channels + channel];
  return sinc_->at(window, 1, fraction);
}

void SoundPlayout::fill(std::span<float> out, SteadyTime heard) {
  const auto channels = static_cast<size_t>(card_.channels);
  const size_t frames = out.size() / channels;
  std::ranges::fill(out, 0.0F);
  filled_step_ = 0;
  if (marks_.empty() || !own_lag_ || frames == 0) return;
  const nanoseconds lag = wanted_lag(heard);
  state_.lag = lag;
  const double wanted = sample_captured_at(heard.time_since_epoch() - lag);
  const double error_s = state_.playing ? (wanted - place_) / format_.rate : 0;  // positive: late
  const auto ready = static_cast<double>(end_ - static_cast<int64_t>(Sinc::kTaps - Sinc::kBefore));
  const double seconds = static_cast<double>(frames) / card_.rate;
  if (!state_.playing) {
    if (wanted < begin_of_ring()) return;  // too early
    place_ = wanted;
    follower_.jumped();
    state_.playing = true;
    settled_at_ = heard + kSettlingTime;
    placed_at_ = heard;
  } else if (std::abs(error_s) > in_seconds(kSoundJump) || (place_ > ready && error_s < -in_seconds(kRunAway))) {
    place_ = std::max(wanted, begin_of_ring());
    gain_ = 0;
    follower_.jumped();
    placed_at_ = heard;
    ++state_.jumps;
  } else if (heard < settled_at_ && heard - placed_at_ > kSettlingStep &&
             std::abs(follower_.behind()) > in_seconds(kSettlingJump)) {
    place_ = std::max(place_ + follower_.behind() * format_.rate, begin_of_ring());
    gain_ = 0;
    follower_.jumped();
    placed_at_ = heard;
  }
  const double late = (wanted - place_) / format_.rate;
  const double step = (1 + follower_.follow(late, seconds)) * format_.rate / card_.rate;
  state_.error = nanoseconds_of(late);
  state_.drift_ppm = follower_.drift() * 1e6;
  const auto fade = static_cast<float>(1 / (kFadeSeconds * card_.rate));
  const double fade_length = kFadeSeconds * format_.rate;
  filled_from_ = place_;
  filled_step_ = step;
  for (size_t i = 0; i < frames; ++i, place_ += step) {
    const bool is_there = place_ <= ready && place_ >= begin_of_ring();
    if (!is_there) ++state_.missing;
    // The sound fades out before the last sample, so that there is no click if the next one is late.
    const bool soon_over = place_ + fade_length > ready;
    gain_ = std::clamp(gain_ + (is_there && !soon_over ? fade : -fade), 0.0F, 1.0F);
    if (!is_there || gain_ <= 0) continue;
    for (size_t c = 0; c < channels; ++c) {
      const size_t from = std::min(c, static_cast<size_t>(format_.channels) - 1);
      out[i * channels + c] = stream_sample(place_, from) * gain_;
    }
  }
}

}  // namespace texcast::stream
