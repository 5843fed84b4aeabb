#include "shown_statistics.h"

#include <algorithm>
#include <chrono>

namespace texcast::player {
namespace {

using std::chrono_literals::operator""s;

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

// A stage with an unknown end was not measured.
void add_if_known(LatencyWindow& window, WallTime from, WallTime to) {
  if (from != WallTime{} && to != WallTime{}) window.add(to - from);
}

StageLatency summary(const char* name, const LatencyWindow& window) {
  return {name, window.count(), window.milliseconds(0.5), window.milliseconds(0.95)};
}

}  // namespace

void ShownStatistics::add(const ShownFrame& frame, SteadyTime now) {
  if (shown_ == 0) first_shown_at_ = now;
  last_shown_at_ = now;
  recent_[shown_ % kRecent] = now;
  ++shown_;
  if (frame.concealed) ++concealed_;
  if (last_ && !jump_expected_ && frame.number > last_->number + 1) skipped_ += frame.number - last_->number - 1;
  jump_expected_ = false;
  last_ = frame;
  add_if_known(total_, frame.times.available, frame.times.presented);
  for (size_t s = 0; s < kStages; ++s)
    add_if_known(stages_[s], frame.times.*kStageTable[s].from, frame.times.*kStageTable[s].to);
}

PlayerReport ShownStatistics::report(SteadyTime now) const {
  PlayerReport report;
  report.frames_shown = shown_;
  report.frames_concealed = concealed_;
  report.frames_skipped = skipped_;
  report.frames_paused = paused_;
  report.seconds = in_seconds(last_shown_at_ - first_shown_at_);
  // n presentations are n - 1 intervals.
  if (report.seconds > 0) report.fps = static_cast<double>(shown_ - 1) / report.seconds;
  const auto filled = recent_.begin() + static_cast<std::ptrdiff_t>(std::min<uint64_t>(shown_, kRecent));
  uint64_t last_second = 0;
  SteadyTime earliest = last_shown_at_;
  for (auto t = recent_.begin(); t != filled; ++t) {
    if (*t <= now - 1s) continue;
    ++last_second;
    earliest = std::min(earliest, *t);
  }
  // 61 presentations that are a sixtieth apart fit into a second: by their intervals they are 60.
  report.fps_last_second = static_cast<double>(last_second);
  if (last_shown_at_ > earliest)
    report.fps_last_second =
        std::min(report.fps_last_second, static_cast<double>(last_second - 1) / in_seconds(last_shown_at_ - earliest));
  report.total = summary("total", total_);
  for (size_t s = 0; s < kStages; ++s) report.stages.push_back(summary(kStageTable[s].name, stages_[s]));
  return report;
}

}  // namespace texcast::player
