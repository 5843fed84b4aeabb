// shown_statistics.h — counts the frames of one run and keeps how long each stage of their way took. No clock of its
// own: times are arguments. One thread.
#pragma once

#include <array>
#include <optional>

#include "base/latency.h"
#include "player/report.h"

namespace texcast::player {

class ShownStatistics {
 public:
  // A frame was presented at `now`.
  void add(const ShownFrame& frame, SteadyTime now);
  void count_paused() { ++paused_; }  // a frame came while paused and was not shown
  uint64_t frames_shown() const { return shown_; }
  const std::optional<ShownFrame>& last() const { return last_; }  // shown
  // A seek: the number of the next frame may be any, and a gap before it is not counted as skipped frames.
  void expect_jump() { jump_expected_ = true; }

  // What is said of the last second counts the presentations in (now - 1 s, now].
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
  LatencyWindow total_;
  std::array<LatencyWindow, kStages> stages_;
  // A presentation, kept for what is said of the last second.
  struct Presented {
    SteadyTime at{};
    uint64_t skipped = 0;  // frames before it
    std::optional<nanoseconds> total{};
    std::array<std::optional<nanoseconds>, kStages> stages{};
  };
  void report_last_second(PlayerReport& report, SteadyTime now) const;
  static constexpr size_t kRecent = 512;  // over 500 a second the counts saturate
  std::array<Presented, kRecent> recent_{};
};

}  // namespace texcast::player
