#include "control/wall_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace texcast::control {
namespace {

constexpr double kClockMatters = 5;  // ms

double milliseconds(int64_t ns) { return static_cast<double>(ns) / 1e6; }

// The mean of the two in the middle, if the number is even.
double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string signed_ms(const std::optional<double>& value) { return value ? fmt::format("{:+.1f} ms", *value) : "-"; }
std::string plain_ms(const std::optional<double>& value) { return value ? fmt::format("{:.1f} ms", *value) : "-"; }

std::string clock_text(const WallPlayer& player) {
  const PlayerTiming& timing = *player.timing;
  const std::string kept =
      timing.error_ms ? fmt::format("{}, within {:.3g} ms", timing.clock, *timing.error_ms) : "not synchronised";
  return fmt::format("{:+.1f} ms (+{:.1f}) from here, {}", player.clock.offset_ms(), player.clock.uncertainty_ms(),
                     kept);
}

std::string frame_text(const PlayerTiming& timing) { return timing.has_frame ? std::to_string(timing.frame) : "-"; }

std::string line_of(size_t width, const std::string& name, const WallReport::Row& row) {
  if (!row.player.timing) return fmt::format("{:<{}}  {}", name, width, row.player.problem);
  const PlayerTiming& timing = *row.player.timing;
  return fmt::format("{:<{}}  {:>8}  {:>10}  {:>10}  {:>6}  {:>6}  {}{}", name, width, frame_text(timing),
                     plain_ms(timing.delay_ms), signed_ms(row.ahead_ms), timing.late, timing.missed,
                     clock_text(row.player), timing.by_system ? "" : "; without --clock system");
}

}  // namespace

void ClockBounds::narrow(int64_t asked_ns, int64_t player_ns, int64_t answered_ns) {
  least_ms = std::max(least_ms, milliseconds(player_ns - answered_ns));
  most_ms = std::min(most_ms, milliseconds(player_ns - asked_ns));
}

WallReport compare_players(std::vector<WallPlayer> players) {
  WallReport report;
  std::vector<double> delays;
  std::pair<double, double> range{};
  for (const WallPlayer& player : players) {
    report.missing += !player.timing;
    if (!player.timing || !player.timing->delay_ms) continue;
    const double delay = *player.timing->delay_ms;
    if (delays.empty() || delay < range.first) range.first = delay, report.first = player.name;
    if (delays.empty() || delay > range.second) range.second = delay, report.last = player.name;
    delays.push_back(delay);
  }
  if (delays.size() > 1) report.skew_ms = range.second - range.first;
  for (WallPlayer& player : players) {
    WallReport::Row row{.player = std::move(player)};
    const auto& timing = row.player.timing;
    if (timing && timing->delay_ms) row.ahead_ms = median(delays) - *timing->delay_ms;
    report.rows.push_back(std::move(row));
  }
  return report;
}

std::vector<std::string> table_of(const WallReport& report) {
  size_t width = 6;
  for (const auto& row : report.rows) width = std::max(width, row.player.name.size());
  std::vector<std::string> lines = {fmt::format("{:<{}}  {:>8}  {:>10}  {:>10}  {:>6}  {:>6}  {}", "player", width,
                                                "frame", "delay", "ahead", "late", "missed", "clock")};
  double least = 0, most = 0;
  for (const auto& row : report.rows) {
    lines.push_back(line_of(width, row.player.name, row));
    if (!row.player.timing) continue;
    least = std::min(least, row.player.clock.offset_ms());
    most = std::max(most, row.player.clock.offset_ms());
  }
  if (report.skew_ms)
    lines.push_back(fmt::format("{} is {:.1f} ms ahead of {}", report.first, *report.skew_ms, report.last));
  if (most - least > kClockMatters)
    lines.push_back(fmt::format(
        "the clocks differ by {:.1f} ms, and so do the pictures: synchronise them (docs/wall.md)", most - least));
  return lines;
}

Json to_json(const WallReport& report) {
  Json players = Json::array();
  for (const auto& row : report.rows) {
    Json one = Json::object({{"player", row.player.name}});
    if (!row.player.timing) {
      one["problem"] = row.player.problem;
    } else {
      one["ahead_ms"] = row.ahead_ms ? Json(*row.ahead_ms) : Json();
      one["clock_offset_ms"] = row.player.clock.offset_ms();
      one["clock_uncertainty_ms"] = row.player.clock.uncertainty_ms();
      one["timing"] = to_json(*row.player.timing);
    }
    players.push(one);
  }
  return Json::object({{"skew_ms", report.skew_ms ? Json(*report.skew_ms) : Json()},
                       {"first", report.first},
                       {"last", report.last},
                       {"players", players}});
}

}  // namespace texcast::control
