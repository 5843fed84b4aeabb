#include "player/osd_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace texcast::player {
namespace {

std::string line(std::string_view name, std::string_view value) { return fmt::format("{}\t{}", name, value); }

void add_total(std::vector<std::string>& lines, const PlayerReport& report) {
  const StageLatency& total = report.total_last_second;
  if (total.frames > 0) {
    const bool clocks_differ = total.p50_ms < 0;
    lines.push_back(line("latency", fmt::format("p50 {:.1f} ms  p95 {:.1f} ms{}", total.p50_ms, total.p95_ms,
                                                clocks_differ ? "  (clocks differ)" : "")));
  }
}

void add_stages(std::vector<std::string>& lines, const PlayerReport& report) {
  for (const StageLatency& stage : report.stages_last_second)
    if (stage.frames > 0)
      lines.push_back(line("  " + stage.name, fmt::format("p50 {:.1f} ms  p95 {:.1f} ms", stage.p50_ms, stage.p95_ms)));
}

std::string state_text(const Playback& p) {
  std::string text = fmt::format("{:g}×", p.speed);
  if (p.loop) text += ", loop";
  if (p.paused) text += ", paused";
  return text;
}

std::string place_text(const ListPlace& place) {
  return place.count > 1 ? fmt::format(" ({} of {})", place.index + 1, place.count) : "";
}

}  // namespace

std::string clock_text(nanoseconds time) {
  const int64_t tenths = std::max<int64_t>(0, time.count()) / 100'000'000;
  return fmt::format("{}:{:02}:{:02}.{}", tenths / 36000, tenths / 600 % 60, tenths / 10 % 60, tenths % 10);
}

std::string short_clock_text(nanoseconds time) {
  const int64_t seconds = std::max<int64_t>(0, time.count()) / 1'000'000'000;
  const std::string minutes =
      seconds < 3600 ? fmt::format("{}", seconds / 60) : fmt::format("{}:{:02}", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{}:{:02}", minutes, seconds % 60);
}

std::string position_text(const Playback& p) {
  std::string text = clock_text(p.position.value_or(nanoseconds{}));
  if (p.duration) text += " / " + clock_text(*p.duration);
  if (p.frame && p.frame_count)
    text += fmt::format(" · frame {} / {}", *p.frame + 1, *p.frame_count);
  else if (p.frame)
    text += fmt::format(" · frame {}", *p.frame + 1);
  return text;
}

std::string sound_text(const Playback& p) {
  if (!p.has_audio) return "none";
  return fmt::format("{} %{}", std::lround(p.volume * 100), p.muted ? ", muted" : "");
}

std::string window_title(const TitleFacts& f) {
  const char* const state = f.is_preparing                ? "preparing"
                            : f.paused                    ? "paused"
                            : f.state == FeedState::ended ? "ended"
                            : !f.has_picture              ? (f.is_file ? "opening" : "waiting")
                            : f.is_file                   ? "playing"
                            : f.is_stale                  ? "no signal"
                                                          : "receiving";
  const std::string subject = f.sender.empty() ? file_name_of(f.title) : f.sender;
  return fmt::format("{}{}: {} - texcast", subject, place_text(f.place), state);
}

std::string file_name_of(const std::string& title) {
  if (title.find("://") != std::string::npos) return title;
  const size_t slash = title.find_last_of('/');
  return slash == std::string::npos || slash + 1 == title.size() ? title : title.substr(slash + 1);
}

std::vector<std::string> osd_lines(const OsdFacts& facts, const std::vector<FeedStat>& stats) {
  std::vector<std::string> lines;
  const auto is_stage = [](const FeedStat& stat) { return stat.name.starts_with(' '); };
  lines.push_back(line("source", file_name_of(facts.title) + place_text(facts.place)));
  if (facts.texture) {
    const std::string window =
        facts.width > 0 ? fmt::format(", {} in {}×{}", name(facts.scale), facts.width, facts.height) : "";
    lines.push_back(line("texture", fmt::format("{} {}×{}{}", name(facts.texture->format), facts.texture->width,
                                                facts.texture->height, window)));
    if (!facts.shown_as.empty()) lines.push_back(line("shown as", facts.shown_as));
  }
  if (facts.frame) {
    lines.push_back(line("position", position_text(facts.playback) + (facts.frame->concealed ? " (concealed)" : "")));
    if (facts.playback.duration)
      lines.push_back(line("speed", state_text(facts.playback)));
    else if (facts.playback.paused)
      lines.push_back(line("state", "paused"));
    if (facts.playback.has_audio) lines.push_back(line("sound", sound_text(facts.playback)));
  }
  if (facts.report) {
    const PlayerReport& report = *facts.report;
    lines.push_back(line(
        "shown", fmt::format("{:.0f} fps, {} skipped", report.fps_last_second, report.frames_skipped_last_second)));
  }
  for (const FeedStat& stat : stats)
    if (!is_stage(stat)) lines.push_back(line(stat.name, stat.value));
  // Stages in chronological order: those of the feed come first.
  if (facts.report) add_total(lines, *facts.report);
  for (const FeedStat& stat : stats)
    if (is_stage(stat)) lines.push_back(line(stat.name, stat.value));
  if (facts.report) add_stages(lines, *facts.report);
  if (!facts.renderer.empty()) lines.push_back(line("renderer", facts.renderer));
  return lines;
}

std::vector<std::string> wrapped(std::string_view text, size_t columns) {
  std::vector<std::string> lines;
  while (text.size() > columns) {
    const size_t space = text.rfind(' ', columns);
    const bool at_space = space != std::string_view::npos && space > 0;
    const size_t length = at_space ? space : columns;
    lines.emplace_back(text.substr(0, length));
    text.remove_prefix(length + (at_space ? 1 : 0));
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace texcast::player
