// What the paper's tables show, and whether the times of another device show it too.
#include <fmt/core.h>

#include <algorithm>

#include "base/ensure.h"
#include "bench/lspiro_tables.h"

namespace texcast::bench {
namespace {

using Verdict = LspiroFinding::Verdict;

constexpr double kLeastMargin = 0.01;  // device clocks of idle GPUs repeat to less
constexpr double kFewRoundsMargin = 0.25;
constexpr int kFewRounds = 5;

// A cell's time in any unit; 0 where there is none.
using TimeOf = double (*)(const LspiroCell&);
double here(const LspiroCell& cell) { return cell.time.median_us; }
double paper(const LspiroCell& cell) { return cell.paper_ms; }

void add_ratio(std::vector<double>& ratios, double slow, double fast) {
  if (slow > 0 && fast > 0) ratios.push_back(slow / fast);
}

// Column by column from `first` on.
std::vector<double> row_by_row(const LspiroRow& slow, const LspiroRow& fast, size_t first, TimeOf time) {
  std::vector<double> ratios;
  for (size_t c = first; c < slow.cells.size(); ++c) add_ratio(ratios, time(slow.cells[c]), time(fast.cells[c]));
  return ratios;
}

// The fastest column behind the first; 0 where there is none.
size_t fastest(const LspiroRow& row, TimeOf time) {
  size_t best = 0;
  for (size_t c = 1; c < row.cells.size(); ++c)
    if (time(row.cells[c]) > 0 && (best == 0 || time(row.cells[c]) < time(row.cells[best]))) best = c;
  return best;
}

std::vector<double> first_against_fastest(const LspiroRow& row, TimeOf time) {
  std::vector<double> ratios;
  if (const size_t best = fastest(row, time); best > 0)
    add_ratio(ratios, time(row.cells.front()), time(row.cells[best]));
  return ratios;
}

LspiroFinding rows_compared(std::string claim, const LspiroRow& slow, const LspiroRow& fast, size_t first = 0) {
  return {.claim = std::move(claim),
          .here = row_by_row(slow, fast, first, here),
          .paper = row_by_row(slow, fast, first, paper)};
}

LspiroFinding several_against_one(const LspiroTable& table, const LspiroRow& row) {
  std::string claim = "several blocks beat one, " + row.name;
  if (const size_t best = fastest(row, here); best > 0)
    claim += fmt::format(" (fastest {}, paper {})", table.columns[best], table.columns[fastest(row, paper)]);
  return {
      .claim = std::move(claim), .here = first_against_fastest(row, here), .paper = first_against_fastest(row, paper)};
}

// `on_cpu`: why a CPU need not show it.
std::vector<LspiroFinding> findings(const LspiroTable& table, bool is_gpu) {
  const auto on_cpu = [&](LspiroFinding finding, const char* reason) {
    if (!is_gpu) finding.reason = reason;
    return finding;
  };
  const auto& rows = table.rows;
  if (table.number == 2)
    return {on_cpu(rows_compared("rank sort beats insertion sort", rows[0], rows[1]),
                   "a CPU core works for a block's items in turn, so 16 that rank cost more than 3 that insert")};
  if (table.number == 3)
    return {on_cpu(several_against_one(table, rows[0]), "a CPU core runs a group's items in turn: none idles"),
            on_cpu(several_against_one(table, rows[1]), "a CPU core runs a group's items in turn: none idles"),
            on_cpu(rows_compared("the conflict-free layout wins from 2 blocks on", rows[0], rows[1], 1),
                   "local memory is ordinary memory on a CPU: no banks")};
  ENSURE(table.number == 4);
  return {rows_compared("one kernel beats two", rows[0], rows[1]),
          rows_compared("one loop for all channels beats a loop a channel", rows[1], rows[2]),
          rows_compared("relaxed maths helps", rows[2], rows[3]),
          rows_compared("fewer registers help", rows[3], rows[4])};
}

double margin_of(const LspiroTable& table) {
  double margin = kLeastMargin;
  for (const LspiroRow& row : table.rows)
    for (const LspiroCell& cell : row.cells) {
      if (cell.time.min_us > 0) margin = std::max(margin, (cell.time.median_us / cell.time.min_us - 1) / 2);
      if (cell.time.rounds > 0 && cell.time.rounds < kFewRounds) margin = std::max(margin, kFewRoundsMargin);
    }
  return margin;
}

Verdict verdict(const std::vector<double>& ratios, double margin) {
  if (ratios.empty()) return Verdict::not_measured;
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  if (*least > 1 + margin) return Verdict::as_in_paper;
  if (*most < 1 / (1 + margin)) return Verdict::reverse;
  return *least >= 1 / (1 + margin) && *most <= 1 + margin ? Verdict::no_difference : Verdict::mixed;
}

}  // namespace

void judge(LspiroTable& table, const DeviceInfo& device) {
  table.margin = margin_of(table);
  table.findings = findings(table, device.is_gpu);
  for (LspiroFinding& finding : table.findings) {
    finding.verdict = verdict(finding.here, table.margin);
    if (finding.verdict == Verdict::as_in_paper || finding.verdict == Verdict::not_measured) finding.reason.clear();
  }
}

bool same_shape(const LspiroTable& table) {
  bool any = false;
  for (const LspiroFinding& f : table.findings) {
    if (f.verdict != Verdict::as_in_paper && f.verdict != Verdict::not_measured) return false;
    any |= f.verdict == Verdict::as_in_paper;
  }
  return any;
}

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::as_in_paper: return "as in the paper";
    case Verdict::no_difference: return "no difference";
    case Verdict::reverse: return "the reverse";
    case Verdict::mixed: return "mixed";
    case Verdict::not_measured: return "not measured";
  }
  return "";
}

}  // namespace texcast::bench
