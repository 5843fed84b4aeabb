#include "shown_statistics.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <vector>

namespace texcast::player {
namespace {

using std::chrono_literals::operator""s;

// Times at which swaps return are this exact; a display whose period is not known has that of 60 Hz.
constexpr nanoseconds kExact = std::chrono::milliseconds(2);
constexpr nanoseconds kUsualPeriod = std::chrono::microseconds(16'667);

struct Stage {
  const char* name;
  WallTime FrameTimes::*from;
  WallTime FrameTimes::*to;
};
constexpr std::array<Stage, 7> kStageTable = {{
    {"encode", &FrameTimes::available, &FrameTimes::encoded},
    {"send", &FrameTimes::encoded, &FrameTimes::sent},
    {"network", &FrameTimes::sent, &FrameTimes::first_packet},
    {"assemble", &FrameTimes::first_packet, &FrameTimes::assembled},
    {"wait", &FrameTimes::assembled, &FrameTimes::taken},
    {"upload", &FrameTimes::taken, &FrameTimes::uploaded},
    {"present", &FrameTimes::uploaded, &FrameTimes::presented},
}};

// A stage without a known end was not measured.
std::optional<nanoseconds> between(WallTime from, WallTime to) {
  if (from == WallTime{} || to == WallTime{}) return std::nullopt;
  return to - from;
}

StageLatency summary(const char* name, const LatencyWindow& window) {
  return {name, window.count(), window.milliseconds(0.5), window.milliseconds(0.95)};
}

// By nearest rank, as in LatencyWindow, over the frames of one second. Sorts `durations`.
StageLatency summary(const char* name, std::vector<nanoseconds>& durations) {
  if (durations.empty()) return {name, 0, 0, 0};
  std::ranges::sort(durations);
  const auto percentile = [&](size_t per_cent) {
    const size_t rank = (durations.size() * per_cent + 99) / 100;
    return in_milliseconds(durations[std::max<size_t>(rank, 1) - 1]);
  };
  return {name, durations.size(), percentile(50), percentile(95)};
}

}  // namespace

void ShownStatistics::compare_with_due(const ShownFrame& frame, nanoseconds refresh_period) {
  Presented& presented = recent_[(shown_ - 1) % kRecent];
  // An unchanged picture is not swapped, so it has no time at which it became visible.
  if (frame.unchanged || !(presented.behind = between(frame.due, frame.times.presented))) return;
  behind_.add(*presented.behind);
  const nanoseconds period = refresh_period > nanoseconds::zero() ? refresh_period : kUsualPeriod;
  if (*presented.behind > period + kExact) ++late_;
  if (*presented.behind < -kExact) ++early_;
}

void ShownStatistics::add(const ShownFrame& frame, SteadyTime now, nanoseconds refresh_period) {
  if (shown_ == 0) first_shown_at_ = now;
  last_shown_at_ = now;
  Presented& presented = recent_[shown_ % kRecent];
  presented = {.at = now};
  ++shown_;
  if (frame.concealed) ++concealed_;
  if (frame.unchanged) ++unchanged_;
  if (last_ && !jump_expected_ && frame.number > last_->number + 1)
    presented.skipped = frame.number - last_->number - 1;
  skipped_ += presented.skipped;
  jump_expected_ = false;
  last_ = frame;
  compare_with_due(frame, refresh_period);
  if ((presented.total = between(frame.times.available, frame.times.presented))) total_.add(*presented.total);
  for (size_t s = 0; s < kStages; ++s) {
    presented.stages[s] = between(frame.times.*kStageTable[s].from, frame.times.*kStageTable[s].to);
    if (presented.stages[s]) stages_[s].add(*presented.stages[s]);
  }
}

void ShownStatistics::report_last_second(PlayerReport& report, SteadyTime now) const {
  const auto filled = std::span(recent_).first(std::min<uint64_t>(shown_, kRecent));
  std::array<std::vector<nanoseconds>, kStages> stages;
  std::vector<nanoseconds> total, behind;
  uint64_t frames = 0;
  SteadyTime earliest = last_shown_at_;
  for (const Presented& one : filled) {
    if (one.at <= now - 1s) continue;
    ++frames;
    earliest = std::min(earliest, one.at);
    report.frames_skipped_last_second += one.skipped;
    if (one.total) total.push_back(*one.total);
    if (one.behind) behind.push_back(*one.behind);
    for (size_t s = 0; s < kStages; ++s)
      if (one.stages[s]) stages[s].push_back(*one.stages[s]);
  }
  // 61 presentations that are a sixtieth apart fit into a second: by their intervals they are 60.
  report.fps_last_second = static_cast<double>(frames);
  if (last_shown_at_ > earliest)
    report.fps_last_second =
        std::min(report.fps_last_second, static_cast<double>(frames - 1) / in_seconds(last_shown_at_ - earliest));
  report.total_last_second = summary("total", total);
  report.behind_last_second = summary("behind", behind);
  for (size_t s = 0; s < kStages; ++s) report.stages_last_second.push_back(summary(kStageTable[s].name, stages[s]));
}

PlayerReport ShownStatistics::report(SteadyTime now) const {
  PlayerReport report;
  report.frames_shown = shown_;
  report.frames_concealed = concealed_;
  report.frames_unchanged = unchanged_;
  report.frames_skipped = skipped_;
  report.frames_paused = paused_;
  report.seconds = in_seconds(last_shown_at_ - first_shown_at_);
  // n presentations are n - 1 intervals.
  if (report.seconds > 0) report.fps = static_cast<double>(shown_ - 1) / report.seconds;
  report_last_second(report, now);
  report.total = summary("total", total_);
  report.behind = summary("behind", behind_);
  report.last = last_;
  report.frames_late = late_;
  report.frames_early = early_;
  for (size_t s = 0; s < kStages; ++s) report.stages.push_back(summary(kStageTable[s].name, stages_[s]));
  return report;
}

}  // namespace texcast::player
