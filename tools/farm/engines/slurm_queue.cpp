#include "slurm_queue.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>

namespace texcast::farm {
namespace {

// States of jobs that have ended (squeue's manual, "JOB STATE CODES"). With any other the task waits or runs.
constexpr std::array<std::string_view, 11> kEndedStates = {"BOOT_FAIL", "CANCELLED",     "COMPLETED",    "DEADLINE",
                                                           "FAILED",    "LAUNCH_FAILED", "NODE_FAIL",    "PREEMPTED",
                                                           "REVOKED",   "TIMEOUT",       "OUT_OF_MEMORY"};
constexpr std::array<std::string_view, 5> kRunningStates = {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED",
                                                            "STAGE_OUT"};

struct Row {
  int task = 0;
  int64_t job = 0;
  std::string_view state{}, reason{};

  bool has_ended() const { return std::ranges::find(kEndedStates, state) != kEndedStates.end(); }
  bool is_running() const { return std::ranges::find(kRunningStates, state) != kRunningStates.end(); }
  bool replaces(const Row& other) const { return has_ended() == other.has_ended() ? job > other.job : !has_ended(); }
};

template <typename Number>
std::optional<Number> field_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<Row> row_of(std::string_view line) {
  std::array<std::string_view, 4> fields{};
  for (size_t i = 0; i < 3; ++i) {
    const size_t bar = line.find('|');
    if (bar == std::string_view::npos) return std::nullopt;
    fields[i] = line.substr(0, bar);
    line.remove_prefix(bar + 1);
  }
  const auto task = field_number<int>(fields[0]);
  const auto job = field_number<int64_t>(fields[2]);
  if (!task || !job || fields[1].empty()) return std::nullopt;
  return Row{.task = *task, .job = *job, .state = fields[1], .reason = line};
}

}  // namespace

Result<QueueView> parse_queue(std::string_view text) {
  std::map<int, Row> rows;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with("N/A|")) continue;  // the rest of an array job that was cancelled
    const auto row = row_of(line);
    if (!row) return Failure{fmt::format("squeue printed '{}'", line.substr(0, 100))};
    const auto [known, is_new] = rows.emplace(row->task, *row);
    if (!is_new && row->replaces(known->second)) known->second = *row;
  }
  QueueView view;
  for (const auto& [task, row] : rows) {
    if (row.has_ended())
      view.ended.emplace(task, row.state);
    else
      (row.is_running() ? view.running : view.waiting).insert(task);
    if (!row.has_ended() && !row.is_running() && row.reason != "None") view.why_waiting = row.reason;
  }
  return view;
}

}  // namespace texcast::farm
