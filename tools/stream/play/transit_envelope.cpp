#include "stream/transit_envelope.h"

#include <algorithm>
#include <cmath>

namespace texcast::stream {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr nanoseconds kOpen = 1s;
constexpr int kLeastFrames = 8;          // of fewer the least says little
constexpr nanoseconds kStep = 10ms;      // so much above the envelope twice in a row, or below it once: another path
constexpr nanoseconds kSlopeSpan = 20s;  // over less, jitter of a millisecond is as large as a crystal's error
constexpr double kMostDrift = 500e-6;    // crystals are within 100 ppm; NTP turns a clock by 500 ppm at most
constexpr double kDriftFilter = 1.0 / 8;

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
  if (shorter) count_ = 0;  // the leasts of the old path would look like drift
  if (!has_anchor_ || transit < at(now)) {
    anchor_ = {now, transit, 1};
    has_anchor_ = true;
  }
  if (open_.frames == 0) open_since_ = now;
  // Compared along the slope, so that drift does not always choose the first or the last.
  if (open_.frames == 0 || transit < line_from(open_, now)) open_ = {now, transit, open_.frames};
  ++open_.frames;
  const bool full = now - open_since_ >= kOpen && open_.frames >= kLeastFrames;
  const bool longer = full && close(now);
  return shorter ? Path::shorter : longer ? Path::longer : Path::same;
}

bool TransitEnvelope::close(SteadyTime now) {
  const bool high = open_.transit > at(open_.at) + kStep;
  const bool stepped = high && count_ > 0 && kept(0).transit > at(kept(0).at) + kStep;
  if (stepped) count_ = 1;  // the one before is of the new path already
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
  anchor_ = kept(0);
  for (size_t i = 1; i < std::min(count_, kRecent); ++i)
    if (lower(kept(i), anchor_)) anchor_ = kept(i);
}

// Of all lines under the leasts, the one that is nearest to them on average goes along the edge of their lower convex
// hull that lies over their mean time.
void TransitEnvelope::update_drift() {
  if (count_ < 3 || kept(0).at - kept(count_ - 1).at < kSlopeSpan) return;
  struct Point {
    double x, y;  // seconds since the oldest
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

}  // namespace texcast::stream
