#include "incoming_sound.h"

#include <algorithm>

namespace texcast::gstreamer {
namespace {

constexpr nanoseconds kMostSound = std::chrono::seconds(1);
constexpr nanoseconds kSoundJump = std::chrono::milliseconds(40);  // a larger difference is a gap
constexpr int64_t kCorrectionPart = 200;                           // of the duration: at most 0.5 %

}  // namespace

nanoseconds duration_of(size_t samples, const SoundFormat& format) {
  const auto frames = static_cast<int64_t>(samples) / format.channels;
  return nanoseconds(frames * 1'000'000'000 / format.sample_rate);
}

nanoseconds IncomingSound::duration() const { return duration_of(samples.size(), format); }

void SoundQueue::push(const ReceivedSound& received, nanoseconds time) {
  const std::lock_guard lock(mutex_);
  const nanoseconds duration = duration_of(received.samples.size(), received.format);
  const nanoseconds off = next_ ? time - *next_ : kSoundJump;
  const bool follows = !received.new_stream && next_ && off > -kSoundJump && off < kSoundJump;
  if (follows) time = *next_ + std::clamp(off, -duration / kCorrectionPart, duration / kCorrectionPart);
  next_ = time + duration;
  waiting_ += duration;
  blocks_.push_back({.samples = {received.samples.begin(), received.samples.end()},
                     .format = received.format,
                     .time = time,
                     .is_discontinuous = !follows});
  while (waiting_ > kMostSound && blocks_.size() > 1) {
    waiting_ -= blocks_.front().duration();
    blocks_.pop_front();
    blocks_.front().is_discontinuous = true;
  }
  changed_.notify_all();
}

void SoundQueue::clear() {
  const std::lock_guard lock(mutex_);
  blocks_.clear();
  waiting_ = {};
  next_.reset();
}

void SoundQueue::interrupt(bool on) {
  const std::lock_guard lock(mutex_);
  is_interrupted_ = on;
  changed_.notify_all();
}

SoundQueue::Taken SoundQueue::take(IncomingSound& block, SteadyTime limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, limit, [this] { return is_interrupted_ || !blocks_.empty(); });
  if (is_interrupted_) return Taken::interrupted;
  if (blocks_.empty()) return Taken::nothing;
  block = std::move(blocks_.front());
  blocks_.pop_front();
  waiting_ -= block.duration();
  return Taken::block;
}

}  // namespace texcast::gstreamer
