// lspiro_report.cpp — the findings of the paper's tables, whether they hold on this device, and both as text and JSON.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/ensure.h"
#include "bench/lspiro.h"
#include "bench/report.h"

namespace texcast::bench {
namespace {

using Verdict = LspiroFinding::Verdict;

constexpr double kLeastMargin = 0.01;  // times of an idle GPU by its own clock vary by less
constexpr double kFewRoundsMargin = 0.25;
constexpr int kFewRounds = 5;

// A cell's time in any unit; 0 if it has none.
using TimeOf = double (*)(const LspiroCell&);
double here(const LspiroCell& cell) { return cell.time.median_us; }
double paper(const LspiroCell& cell) { return cell.paper_ms; }

void add_ratio(std::vector<double>& ratios, double slow, double fast) {
  if (slow > 0 && fast > 0) ratios.push_back(slow / fast);
}

// Ratios of two rows, column by column from `first` on.
std::vector<double> row_by_row(const LspiroRow& slow, const LspiroRow& fast, size_t first, TimeOf time) {
  std::vector<double> ratios;
  for (size_t c = first; c < slow.cells.size(); ++c) add_ratio(ratios, time(slow.cells[c]), time(fast.cells[c]));
  return ratios;
}

// The fastest column other than the first; 0 if there is none.
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

// `on_cpu`: why the claim may not hold on a CPU.
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

namespace {

constexpr int kNameWidth = 46;

// Milliseconds with three significant digits: 0.0213, 1.34, 133.
std::string milliseconds(const LspiroCell& cell) {
  if (cell.time.rounds == 0) return "-";
  const double ms = cell.time.median_us / 1000;
  const int digits_before = ms > 0 ? static_cast<int>(std::floor(std::log10(ms))) : 0;
  return fmt::format("{:.{}f}", ms, std::clamp(2 - digits_before, 0, 5));
}

std::string paper_milliseconds(const LspiroCell& cell) {
  return cell.paper_ms > 0 ? fmt::format("{:g}", cell.paper_ms) : "-";
}

// Two lines per row: this device's figures, then the paper's.
std::string wide_table(const LspiroTable& table) {
  const int width = table.columns.size() > 4 ? 8 : 13;
  const int name_width = 26;
  std::string text = fmt::format("{:<{}}", table.across, name_width);
  for (const std::string& column : table.columns) text += fmt::format("{:>{}}", column, width);
  text += '\n';
  for (const LspiroRow& row : table.rows) {
    text += fmt::format("{:<{}}", row.name, name_width);
    for (const LspiroCell& cell : row.cells) text += fmt::format("{:>{}}", milliseconds(cell), width);
    text += fmt::format("\n{:<{}}", "    paper", name_width);
    for (const LspiroCell& cell : row.cells) text += fmt::format("{:>{}}", paper_milliseconds(cell), width);
    text += '\n';
  }
  return text;
}

// The difference to the time above: "-5.3 %".
std::string change(double above, double time) {
  return above > 0 && time > 0 ? fmt::format("{:+.1f} %", 100 * (time / above - 1)) : "-";
}

// One line per row: each figure, and its difference to the row above, here and in the paper.
std::string steps_table(const LspiroTable& table) {
  std::string text =
      fmt::format("{:<{}}{:>10}{:>10}{:>10}{:>10}\n", "", kNameWidth, "here", "change", "paper", "change");
  double above_us = 0, paper_above_ms = 0;
  for (const LspiroRow& row : table.rows) {
    const LspiroCell& cell = row.cells.front();
    text += fmt::format("{:<{}}{:>10}{:>10}{:>10}{:>10}\n", row.name, kNameWidth, milliseconds(cell),
                        change(above_us, cell.time.median_us), paper_milliseconds(cell),
                        change(paper_above_ms, cell.paper_ms));
    above_us = cell.time.median_us;
    paper_above_ms = cell.paper_ms;
  }
  return text;
}

// Figures that are missing, with the reason, and blocks that differ from the reference.
std::string remarks(const LspiroTable& table) {
  std::string text;
  bool wrong = false;
  for (const LspiroRow& row : table.rows)
    for (size_t c = 0; c < row.cells.size(); ++c) {
      const LspiroCell& cell = row.cells[c];
      const std::string where = table.columns.size() > 1 ? row.name + ", " + table.columns[c] : row.name;
      if (!cell.why_not.empty()) text += fmt::format("{}: {}\n", where, cell.why_not);
      if (cell.wrong_blocks == 0) continue;
      wrong = true;
      text += fmt::format("{}: {} blocks differ from the reference\n", where, cell.wrong_blocks);
    }
  if (!wrong) text += "The blocks of all figures are those of the reference, byte for byte.\n";
  return text;
}

// "3.4, 2.7, 4.1" or "1.44 to 1.62"
std::string ratios(const std::vector<double>& values) {
  std::string text;
  if (values.size() > 3) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return fmt::format("{:.2f} to {:.2f}", *least, *most);
  }
  for (const double v : values) text += fmt::format("{}{:.2f}", text.empty() ? "" : ", ", v);
  return text;
}

std::string shape(const LspiroTable& table) {
  std::string text = fmt::format("Shape as in the paper: {} (differences under {:.1f} % count as none)\n",
                                 same_shape(table) ? "yes" : "no", 100 * table.margin);
  for (const LspiroFinding& f : table.findings) {
    text += fmt::format("  {:<17}{}", std::string(name(f.verdict)) + ":", f.claim);
    if (!f.here.empty()) text += fmt::format(": {} times (paper {})", ratios(f.here), ratios(f.paper));
    text += '\n';
    if (!f.reason.empty()) text += fmt::format("  {:<17}{}\n", "", f.reason);
  }
  return text;
}

}  // namespace

std::string lspiro_text(const std::vector<LspiroTable>& tables) {
  std::string text =
      "I. Perminov, \"Online compression of visual data on GPU\", repeated. Milliseconds, medians; the "
      "paper's: GeForce GTX 560.\n";
  for (const LspiroTable& table : tables) {
    text += fmt::format("\nTable {}. {}\n", table.number, table.title);
    text += table.columns.size() > 1 ? wide_table(table) : steps_table(table);
    text += remarks(table) + shape(table);
  }
  return text;
}

namespace {

Json to_json(const LspiroCell& cell, const std::string& column) {
  Json json = Json::object({{"column", column}, {"paper_ms", cell.paper_ms}});
  if (cell.time.rounds == 0) {
    json["left_out"] = cell.why_not;
    return json;
  }
  add_spread(json, cell.time);
  json["wrong_blocks"] = cell.wrong_blocks;
  return json;
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push(value);
  return list;
}

Json to_json(const LspiroFinding& f) {
  Json json = Json::object({{"claim", f.claim},
                            {"verdict", name(f.verdict)},
                            {"ratios", numbers(f.here)},
                            {"paper_ratios", numbers(f.paper)}});
  if (!f.reason.empty()) json["reason"] = f.reason;
  return json;
}

Json to_json(const LspiroTable& table) {
  Json rows = Json::array();
  for (const LspiroRow& row : table.rows) {
    Json cells = Json::array();
    for (size_t c = 0; c < row.cells.size(); ++c) cells.push(to_json(row.cells[c], table.columns[c]));
    rows.push(Json::object({{"name", row.name}, {"cells", std::move(cells)}}));
  }
  Json findings = Json::array();
  for (const LspiroFinding& f : table.findings) findings.push(to_json(f));
  return Json::object({{"number", table.number},
                       {"title", table.title},
                       {"rows", std::move(rows)},
                       {"margin", table.margin},
                       {"same_shape", same_shape(table)},
                       {"findings", std::move(findings)}});
}

}  // namespace

Json lspiro_json(const std::vector<LspiroTable>& tables) {
  Json list = Json::array();
  for (const LspiroTable& table : tables) list.push(to_json(table));
  return list;
}

}  // namespace texcast::bench
