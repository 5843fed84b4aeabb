#include "playout/playout_clock.h"

#include <algorithm>
#include <cmath>

namespace texcast::stream {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// ---- of the envelope ----

// A minimum is that of a second, and of an eighth of the time since the beginning if that is less.
constexpr nanoseconds kOpen = 1s;
constexpr int kOpenPart = 8;
constexpr int kLeastFrames = 8;  // the minimum of fewer says little
// Older minima may be of another path. At the beginning, the first half of the time is forgotten.
constexpr nanoseconds kRecent = 8s;
constexpr int kRecentPart = 2;
constexpr nanoseconds kStep = 10ms;      // this much above the envelope twice in a row, or below it once: another path
constexpr nanoseconds kSlopeSpan = 20s;  // over less time, a millisecond of jitter is as large as a crystal's error
constexpr double kMostDrift = 500e-6;    // crystals are within 100 ppm; NTP adjusts a clock by 500 ppm at most
constexpr double kDriftFilter = 1.0 / 8;

// ---- of the clock ----

constexpr int kUnseenPart = 4;             // jitter of less than a frame time divided by this needs no delay
constexpr nanoseconds kSettling = 2s;      // after a restart lag follows everything at once, see settle()
constexpr nanoseconds kStillFaster = 1ms;  // a frame this much quicker than all before: the beginning is not over
constexpr nanoseconds kSlew = 5ms;         // per second
constexpr nanoseconds kShrink = 20ms;      // per second
constexpr nanoseconds kJump = 100ms;       // larger differences are not slewed, which would take half a minute
constexpr nanoseconds kOtherTime = 1s;     // a time stamp this far off belongs to another time line
constexpr nanoseconds kLongest = 8s;       // of a pause, for which lag may change

nanoseconds part_of(nanoseconds a_second, nanoseconds elapsed) {
  return nanoseconds(std::min(elapsed, kLongest).count() * a_second.count() / 1'000'000'000);
}

// Its zero is arbitrary (TransitEnvelope).
nanoseconds transit_of(const PlayoutArrival& frame) { return frame.arrived.time_since_epoch() - frame.pts; }

}  // namespace

nanoseconds TransitEnvelope::line_from(const Least& from, SteadyTime now) const {
  return from.transit + nanoseconds(std::llround(drift_ * static_cast<double>((now - from.at).count())));
}

nanoseconds TransitEnvelope::at(SteadyTime now) const {
  return has_anchor_ ? line_from(anchor_, now) : nanoseconds::zero();
}

void TransitEnvelope::restart() {
  count_ = 0;
  open_ = {};
  has_anchor_ = false;
}

void TransitEnvelope::forget() {
  restart();
  drift_ = 0;
}

TransitEnvelope::Path TransitEnvelope::add(SteadyTime now, nanoseconds transit) {
  const bool shorter = has_anchor_ && transit < at(now) - kStep;
  if (shorter) count_ = 0;  // the minima of the old path would look like drift
  if (!has_anchor_) begun_ = now;
  if (!has_anchor_ || transit < at(now)) {
    anchor_ = {now, transit, 1};
    has_anchor_ = true;
  }
  if (open_.frames == 0) open_since_ = now;
  // Compared along the slope: otherwise drift would always make the first or the last one the minimum.
  if (open_.frames == 0 || transit < line_from(open_, now)) open_ = {now, transit, open_.frames};
  ++open_.frames;
  const bool full = now - open_since_ >= std::min(kOpen, (now - begun_) / kOpenPart) && open_.frames >= kLeastFrames;
  const bool longer = full && close(now);
  return shorter ? Path::shorter : longer ? Path::longer : Path::same;
}

bool TransitEnvelope::close(SteadyTime now) {
  const bool high = open_.transit > at(open_.at) + kStep;
  const bool stepped = high && count_ > 0 && kept(0).transit > at(kept(0).at) + kStep;
  if (stepped) count_ = 1;  // the previous minimum is of the new path already
  ring_[next_] = open_;
  next_ = (next_ + 1) % kKept;
  count_ = std::min(count_ + 1, kKept);
  open_ = {};
  update_drift();
  lower_onto_recent(now);
  return stepped;
}

void TransitEnvelope::lower_onto_recent(SteadyTime now) {
  const auto lower = [&](const Least& a, const Least& b) { return line_from(a, now) < line_from(b, now); };
  const SteadyTime oldest = now - std::min(kRecent, (now - begun_) / kRecentPart);
  anchor_ = kept(0);
  for (size_t i = 1; i < count_ && kept(i).at >= oldest; ++i)
    if (lower(kept(i), anchor_)) anchor_ = kept(i);
}

// The line below all minima that is closest to them on average contains the edge of their lower convex hull at their
// mean time.
void TransitEnvelope::update_drift() {
  if (count_ < 3 || kept(0).at - kept(count_ - 1).at < kSlopeSpan) return;
  struct Point {
    double x, y;  // arrival and transit in seconds, relative to the oldest
  };
  std::array<Point, kKept> hull;
  size_t corners = 0;
  double mean_x = 0;
  const Least& oldest = kept(count_ - 1);
  for (size_t i = count_; i-- > 0;) {
    const Point p{in_seconds(kept(i).at - oldest.at), in_seconds(kept(i).transit - oldest.transit)};
    mean_x += p.x / static_cast<double>(count_);
    const auto turns_right = [&](const Point& a, const Point& b) {
      return (b.x - a.x) * (p.y - a.y) <= (b.y - a.y) * (p.x - a.x);
    };
    while (corners >= 2 && turns_right(hull[corners - 2], hull[corners - 1])) --corners;
    hull[corners++] = p;
  }
  size_t right = 1;
  while (right + 1 < corners && hull[right].x < mean_x) ++right;
  const Point &a = hull[right - 1], &b = hull[right];
  const double slope = std::clamp((b.y - a.y) / (b.x - a.x), -kMostDrift, kMostDrift);
  drift_ += (slope - drift_) * kDriftFilter;
}

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
  delay_.restart();
  state_.delay = {};
  settled_at_ = frame.arrived + kSettling;
  last_ = frame.arrived;
  last_pts_ = frame.pts;
}

// At the beginning lag follows at once, and for as long as transit times still fall: nobody sees a jump there.
bool PlayoutClock::settle(const PlayoutArrival& frame) {
  if (last_ >= settled_at_) return false;
  const bool faster = !envelope_.empty() && transit_of(frame) < envelope_.at(frame.arrived) - kStillFaster;
  if (faster) settled_at_ = frame.arrived + kSettling;
  return true;  // also for the first frame after it, which sets everything
}

TransitEnvelope::Path PlayoutClock::measure(const PlayoutArrival& frame, nanoseconds transit) {
  const SteadyTime now = frame.arrived;
  const nanoseconds before = envelope_.empty() ? transit : envelope_.at(now);
  const TransitEnvelope::Path path = envelope_.add(now, transit);
  // On the longer path, frames were not held up by jitter.
  if (path == TransitEnvelope::Path::shorter) delay_.restart();
  const nanoseconds floor = envelope_.at(now);
  delay_.path_is_longer(std::max(floor - before, nanoseconds::zero()));
  delay_.add(now, transit - floor);
  state_.jitter = delay_.needed();
  state_.drift_ppm = envelope_.drift_ppm();
  return path;
}

SteadyTime PlayoutClock::due(const PlayoutArrival& frame) {
  const nanoseconds transit = transit_of(frame);
  if (must_restart(frame, transit)) restart(frame);
  const bool settling = settle(frame);
  const TransitEnvelope::Path path = measure(frame, transit);
  const nanoseconds elapsed = std::max(frame.pts - last_pts_, nanoseconds::zero());  // steady, unlike arrivals
  last_ = frame.arrived;
  last_pts_ = frame.pts;
  if (latency_ == nanoseconds::zero()) return frame.arrived;

  const nanoseconds unseen = frame.frame_time / kUnseenPart;
  const nanoseconds wanted = latency_.value_or(std::max(state_.jitter - unseen, nanoseconds::zero()));
  const bool at_once = settling || path != TransitEnvelope::Path::same || latency_;
  const nanoseconds before = state_.delay;
  state_.delay = at_once ? wanted : std::max(wanted, before - part_of(kShrink, elapsed));
  follow(envelope_.at(frame.arrived), at_once ? nanoseconds::zero() : state_.delay - before, elapsed, settling);
  const SteadyTime due(frame.pts + lag_);
  if (due < frame.arrived - unseen) ++state_.late;
  return due;
}

// Lag follows the floor slowly, and the delay, which has changed by `change`, as fast as that changes: growth at once,
// as the next frame may need it.
void PlayoutClock::follow(nanoseconds floor, nanoseconds change, nanoseconds elapsed, bool settling) {
  const nanoseconds step = part_of(kSlew, elapsed);
  const nanoseconds least = -step + std::min(change, nanoseconds::zero());
  const nanoseconds most = step + std::max(change, nanoseconds::zero());
  const nanoseconds off = floor + state_.delay - lag_;
  const bool at_once = settling || std::chrono::abs(off) > std::max(kJump, most);
  lag_ += at_once ? off : std::clamp(off, least, most);
}

}  // namespace texcast::stream
