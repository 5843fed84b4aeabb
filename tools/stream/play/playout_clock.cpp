#include "stream/playout_clock.h"

#include <algorithm>

namespace texcast::stream {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr nanoseconds kRecall = 8s;  // jitter older than this is forgotten
constexpr double kPercentile = 0.98;
constexpr int kUnseenPart = 4;             // jitter of a frame time over this needs no delay
constexpr nanoseconds kSettling = 2s;      // after a restart everything is followed at once, see is_settling()
constexpr nanoseconds kStillFaster = 1ms;  // a frame so much quicker than all before it: the beginning is not over
constexpr nanoseconds kSlew = 5ms;         // a second
constexpr nanoseconds kShrink = 4ms;       // a second
constexpr nanoseconds kJump = 100ms;       // more than this is not slewed: it would take half a minute
constexpr nanoseconds kOtherTime = 1s;     // time stamps so far from where they should be are another time line

nanoseconds part_of(nanoseconds a_second, nanoseconds elapsed) {
  return nanoseconds(std::min(elapsed, kRecall).count() * a_second.count() / 1'000'000'000);
}

}  // namespace

PlayoutClock::PlayoutClock(Latency latency) : latency_(latency) { held_up_.reserve(kSamples); }

bool PlayoutClock::must_restart(const PlayoutArrival& frame, nanoseconds transit) const {
  if (envelope_.empty() || frame.new_stream) return true;
  return std::chrono::abs(transit - envelope_.at(frame.arrived)) > std::max(kOtherTime, 4 * frame.frame_time);
}

void PlayoutClock::restart(const PlayoutArrival& frame) {
  if (!envelope_.empty()) ++state_.restarts;
  if (frame.new_stream)
    envelope_.forget();
  else
    envelope_.restart();
  count_ = 0;
  state_.delay = {};
  settled_at_ = frame.arrived + kSettling;
  last_ = frame.arrived;
}

// At first a sender and its receiver make memory: frames are late that work off what that has cost, and others are
// early because nothing else runs yet. None of it is the network's, so what was measured in the first half of this time
// does not count once it is over. It goes on as long as frames still become quicker.
bool PlayoutClock::is_settling(const PlayoutArrival& frame) {
  if (last_ >= settled_at_) return false;
  const bool faster = !envelope_.empty() && frame.arrived - frame.pts < envelope_.at(frame.arrived) - kStillFaster;
  if (faster) settled_at_ = frame.arrived + kSettling;
  if (frame.arrived >= settled_at_) forget_beginning();
  return true;  // also for the first frame after it, with which everything takes its place
}

void PlayoutClock::forget_beginning() {
  envelope_.restart();
  size_t kept = 0;
  while (kept < count_ && newest(kept).at >= settled_at_ - kSettling / 2) ++kept;
  count_ = kept;
  while (kept-- > 0) envelope_.add(newest(kept).at, newest(kept).transit);
}

SteadyTime PlayoutClock::due(const PlayoutArrival& frame) {
  const nanoseconds transit = frame.arrived - frame.pts;
  if (must_restart(frame, transit)) restart(frame);
  const bool settling = is_settling(frame);
  const TransitEnvelope::Path path = envelope_.add(frame.arrived, transit);
  if (path == TransitEnvelope::Path::shorter) count_ = 0;  // the longer one's frames were not held up by jitter
  samples_[next_] = {frame.arrived, transit};
  next_ = (next_ + 1) % kSamples;
  count_ = std::min(count_ + 1, kSamples);
  measure_jitter(frame.arrived);
  state_.drift_ppm = envelope_.drift_ppm();
  const nanoseconds elapsed = frame.arrived - last_;
  last_ = frame.arrived;
  if (latency_ == nanoseconds::zero()) return frame.arrived;

  const nanoseconds unseen = frame.frame_time / kUnseenPart;
  const nanoseconds wanted = latency_.value_or(std::clamp(state_.jitter - unseen, nanoseconds::zero(), kMostDelay));
  lag_ += grow_or_shrink(wanted, elapsed, settling || path != TransitEnvelope::Path::same || latency_);
  follow(envelope_.at(frame.arrived) + state_.delay, elapsed, settling);
  const SteadyTime due = frame.pts + lag_;
  if (due < frame.arrived - unseen) ++state_.late;
  return due;
}

void PlayoutClock::measure_jitter(SteadyTime now) {
  held_up_.clear();
  for (size_t i = 0; i < count_; ++i) {
    if (now - newest(i).at > kRecall) break;
    held_up_.push_back(newest(i).transit - envelope_.at(newest(i).at));
  }
  // Rounded down, so that even of a few frames one that was held up by a stranger is left out.
  const auto rank = static_cast<std::ptrdiff_t>(kPercentile * static_cast<double>(held_up_.size() - 1));
  std::nth_element(held_up_.begin(), held_up_.begin() + rank, held_up_.end());
  state_.jitter = std::max(held_up_[static_cast<size_t>(rank)], nanoseconds::zero());
}

// What lag has to be moved by at once: growth, because the next frame may need it. A delay that shrinks is followed.
nanoseconds PlayoutClock::grow_or_shrink(nanoseconds wanted, nanoseconds elapsed, bool at_once) {
  const nanoseconds before = state_.delay;
  state_.delay = at_once ? wanted : std::max(wanted, before - part_of(kShrink, elapsed));
  return at_once ? nanoseconds::zero() : std::max(state_.delay - before, nanoseconds::zero());
}

void PlayoutClock::follow(nanoseconds target, nanoseconds elapsed, bool settling) {
  const nanoseconds step = part_of(kSlew, elapsed);
  const nanoseconds off = target - lag_;
  const bool at_once = settling || std::chrono::abs(off) > kJump;
  lag_ += at_once ? off : std::clamp(off, -step, step);
}

}  // namespace texcast::stream
