// shown_statistics.h — counts what was shown and how long each stage of its way took. No clock of its own: times are
// arguments.
#pragma once

#include <array>
#include <deque>
#include <optional>

#include "base/latency.h"
#include "player/player.h"

namespace texcast::player {

class ShownStatistics {
 public:
  // A frame was presented at `now`.
  void add(const ShownFrame& frame, SteadyTime now);
  void count_paused() { ++paused_; }
  uint64_t frames_shown() const { return shown_; }
  const std::optional<ShownFrame>& last() const { return last_; }
  // The next frame's number may be anything: after a seek.
  void expect_jump() { jump_expected_ = true; }

  // `fps_last_second` counts the presentations in (now - 1 s, now].
  PlayerReport report(SteadyTime now) const;

 private:
  static constexpr size_t kStages = 7;
  uint64_t shown_ = 0;
  uint64_t concealed_ = 0;
  uint64_t skipped_ = 0;
  uint64_t paused_ = 0;
  bool jump_expected_ = false;
  std::optional<ShownFrame> last_;
  SteadyTime first_shown_at_{};
  SteadyTime last_shown_at_{};
  LatencyWindow total_;
  std::array<LatencyWindow, kStages> stages_;
  static constexpr size_t kRecent = 512;  // presentations kept for the rate: over 500 a second the count saturates
  std::array<SteadyTime, kRecent> recent_{};
};

}  // namespace texcast::player
