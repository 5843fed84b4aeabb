// shown_statistics.h — counts the frames of one run and records the latency of each stage. It has no clock: times are
// arguments. Not thread-safe.
#pragma once

#include <array>
#include <optional>

#include "base/latency.h"
#include "player/report.h"

namespace texcast::player {

class ShownStatistics {
 public:
  // A frame was presented at `now`. `refresh_period`: of the display; 0: not known.
  void add(const ShownFrame& frame, SteadyTime now, nanoseconds refresh_period = {});
  void count_paused() { ++paused_; }  // a frame came while paused and was not shown
  uint64_t frames_shown() const { return shown_; }
  const std::optional<ShownFrame>& last() const { return last_; }  // the frame that was shown last
  // A seek: the number of the next frame may be any, and a gap before it is not counted as skipped frames.
  void expect_jump() { jump_expected_ = true; }

  // The values of the last second count the presentations in (now - 1 s, now].
  PlayerReport report(SteadyTime now) const;

 private:
  static constexpr size_t kStages = 7;
  uint64_t shown_ = 0;
  uint64_t concealed_ = 0;
  uint64_t unchanged_ = 0;
  uint64_t skipped_ = 0;
  uint64_t paused_ = 0;
  bool jump_expected_ = false;
  std::optional<ShownFrame> last_;
  SteadyTime first_shown_at_{};
  SteadyTime last_shown_at_{};
  void compare_with_due(const ShownFrame& frame, nanoseconds refresh_period);
  uint64_t late_ = 0, early_ = 0;
  LatencyWindow total_, behind_;
  std::array<LatencyWindow, kStages> stages_;
  // A presentation, kept for the values of the last second.
  struct Presented {
    SteadyTime at{};
    uint64_t skipped = 0;  // frames before it
    std::optional<nanoseconds> total{}, behind{};
    std::array<std::optional<nanoseconds>, kStages> stages{};
  };
  void report_last_second(PlayerReport& report, SteadyTime now) const;
  static constexpr size_t kRecent = 512;  // above 500 per second the counts saturate
  std::array<Presented, kRecent> recent_{};
};

}  // namespace texcast::player
