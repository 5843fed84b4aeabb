#include "osd_lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace texcast::player {
namespace {

constexpr size_t kNameColumn = 14;

std::string line(std::string_view name, std::string_view value) {
  return fmt::format("{:<{}} {}", name, kNameColumn, value);
}

void add_latency(std::vector<std::string>& lines, const PlayerReport& report) {
  if (report.total.frames > 0) {
    const bool clocks_differ = report.total.p50_ms < 0;
    lines.push_back(line("latency", fmt::format("p50 {:.1f} ms  p95 {:.1f} ms{}", report.total.p50_ms,
                                                report.total.p95_ms, clocks_differ ? "  (clocks differ)" : "")));
  }
  for (const StageLatency& stage : report.stages)
    if (stage.frames > 0)
      lines.push_back(line("  " + stage.name, fmt::format("p50 {:.1f} ms  p95 {:.1f} ms", stage.p50_ms, stage.p95_ms)));
}

}  // namespace

std::string clock_text(nanoseconds time) {
  const int64_t tenths = std::max<int64_t>(0, time.count()) / 100'000'000;
  return fmt::format("{}:{:02}:{:02}.{}", tenths / 36000, tenths / 600 % 60, tenths / 10 % 60, tenths % 10);
}

std::vector<std::string> osd_lines(const OsdFacts& facts, const std::vector<FeedStat>& stats) {
  std::vector<std::string> lines;
  lines.push_back(line("source", facts.title));
  if (facts.texture) {
    lines.push_back(line(
        "texture", fmt::format("{} {}x{}", name(facts.texture->format), facts.texture->width, facts.texture->height)));
  }
  if (facts.frame) {
    lines.push_back(
        line("frame", fmt::format("{} at {}{}{}", facts.frame->number, clock_text(facts.frame->times.pts),
                                  facts.frame->concealed ? " (concealed)" : "", facts.paused ? " (paused)" : "")));
  }
  if (facts.report) {
    const PlayerReport& report = *facts.report;
    lines.push_back(line("shown", fmt::format("{:.0f} fps, {} frames, {} skipped", report.fps_last_second,
                                              report.frames_shown, report.frames_skipped)));
    add_latency(lines, report);
  }
  for (const FeedStat& stat : stats) lines.push_back(line(stat.name, stat.value));
  lines.push_back(line("renderer", facts.renderer));
  return lines;
}

}  // namespace texcast::player
