// table.cpp — subject() and text() of tuner/tune.h.
#include <fmt/core.h>

#include <algorithm>

#include "tuner/tune.h"

namespace texcast::tuner {

std::string subject(const stages::StageSettings& settings) {
  const FrameFormat& source = settings.source;
  return fmt::format("{} {}{} from {} {}x{}", name(settings.texture), name(settings.method),
                     settings.options.allow_black ? " with black" : "", name(source.pixel_format), source.width,
                     source.height);
}

std::string text(const Table& table, const stages::StageSettings& settings) {
  std::vector<const Row*> rows;
  for (const Row& row : table.rows) rows.push_back(&row);
  // Variants that ran by their time, then those that did not in their order.
  std::stable_sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) {
    if (a->left_out.empty() != b->left_out.empty()) return a->left_out.empty();
    return a->left_out.empty() && a->time.median_us < b->time.median_us;
  });
  std::string lines = subject(settings);
  if (table.height != settings.source.height) lines += fmt::format(", timed on {} rows of it", table.height);
  lines += fmt::format("\n  {:<54}{:>10}{:>10}{:>10}{:>9}\n", "variant", "min us", "median", "max", "MP/s");
  for (const Row* row : rows) {
    const char mark = row->left_out.empty() && row->tuning == table.winner ? '*' : ' ';
    if (!row->left_out.empty()) {
      lines += fmt::format("{} {:<54}  {}\n", mark, describe(row->tuning), row->left_out);
      continue;
    }
    const double texels = static_cast<double>(settings.source.width) * table.height;
    lines += fmt::format("{} {:<54}{:>10.1f}{:>10.1f}{:>10.1f}{:>9.0f}\n", mark, describe(row->tuning),
                         row->time.min_us, row->time.median_us, row->time.max_us, texels / row->time.median_us);
  }
  return lines;
}

}  // namespace texcast::tuner
