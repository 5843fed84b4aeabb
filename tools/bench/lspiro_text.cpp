// The paper's tables as text.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "bench/lspiro_tables.h"

namespace texcast::bench {
namespace {

constexpr int kNameWidth = 46;

// Milliseconds to three digits: 0.0213, 1.34, 133.
std::string milliseconds(const LspiroCell& cell) {
  if (cell.time.rounds == 0) return "-";
  const double ms = cell.time.median_us / 1000;
  const int digits_before = ms > 0 ? static_cast<int>(std::floor(std::log10(ms))) : 0;
  return fmt::format("{:.{}f}", ms, std::clamp(2 - digits_before, 0, 5));
}

std::string paper_milliseconds(const LspiroCell& cell) {
  return cell.paper_ms > 0 ? fmt::format("{:g}", cell.paper_ms) : "-";
}

// Two lines a row: this device's figures, the paper's below.
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

// "-5.3 %" against the time above.
std::string change(double above, double time) {
  return above > 0 && time > 0 ? fmt::format("{:+.1f} %", 100 * (time / above - 1)) : "-";
}

// One line a row: each figure and what it gains on the row above, here and in the paper.
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

// What is missing and why; blocks that are not the reference's.
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
      text += fmt::format("{}: {} blocks are not the reference's\n", where, cell.wrong_blocks);
    }
  if (!wrong) text += "Every figure's blocks are the reference's, byte for byte.\n";
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

}  // namespace texcast::bench
