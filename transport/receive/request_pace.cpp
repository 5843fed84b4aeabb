#include "transport/request_pace.h"

#include <algorithm>

namespace texcast::transport {
namespace {

constexpr nanoseconds kLeastRetry = std::chrono::milliseconds(2);
constexpr nanoseconds kMostRetry = std::chrono::milliseconds(200);

}  // namespace

void RequestPace::arrived() { budget_ = std::min(budget_ + kPart, kMostAtOnce); }

bool RequestPace::may_ask(SteadyTime now) {
  if (!expects_answers(now)) {
    if (now - probed_ < kProbeEvery) return false;
    probed_ = now;
    return true;
  }
  if (budget_ < 1) return false;
  budget_ -= 1;
  return true;
}

void RequestPace::asked(SteadyTime now) {
  if (unanswered_++ == 0) asking_since_ = now;
  ++requested_;
}

void RequestPace::answered(SteadyTime asked, uint32_t times, SteadyTime now) {
  unanswered_ = 0;
  if (times == 1) note_round_trip(now - asked);  // after a second request the answer is ambiguous (Karn's algorithm)
}

// Smoothing of RFC 6298.
void RequestPace::note_round_trip(nanoseconds sample) {
  if (!measured_) {
    measured_ = true;
    round_trip_ = sample;
    deviation_ = sample / 2;
    return;
  }
  const nanoseconds off = sample > round_trip_ ? sample - round_trip_ : round_trip_ - sample;
  deviation_ += (off - deviation_) / 4;
  round_trip_ += (sample - round_trip_) / 8;
}

// The interval doubles with each request from the fourth on: the round trip may have grown, and ambiguous answers do
// not show that.
nanoseconds RequestPace::retry_after(uint32_t times) const {
  const nanoseconds once = std::clamp(round_trip_ + 4 * deviation_, kLeastRetry, kMostRetry);
  return std::min(once * (1 << (std::clamp(times, 3U, 7U) - 3)), kMostRetry);
}

}  // namespace texcast::transport
