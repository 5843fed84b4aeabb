// Reads the files of tables/. A file has a line "[NAME]" for each table set, and below it a line for each context: its
// row, or "-" if the set has no row for it. Contexts at the end that have no line have no row.
#include <map>

#include "base/embedded_file.h"
#include "base/ensure.h"
#include "compact/tables.h"

namespace texcast::compact {

std::span<const EmbeddedFile> embedded_files();  // of tables/

namespace {

std::vector<TrainedText> read(std::string_view text) {
  std::vector<TrainedText> sets;
  size_t context = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.size() != kSymbols && line.starts_with('[')) {
      sets.emplace_back();
      context = 0;
      continue;
    }
    ENSURE(!sets.empty() && context < sets.back().size() && (line == "-" || line.size() == kSymbols));
    if (line != "-") sets.back()[context] = line;
    ++context;
  }
  return sets;
}

}  // namespace

const std::vector<TrainedText>& trained_text(std::string_view kind) {
  static const auto all = [] {
    std::map<std::string_view, std::vector<TrainedText>> texts;
    for (const EmbeddedFile& file : embedded_files()) texts[file.name.substr(0, file.name.find('.'))] = read(file.text);
    return texts;
  }();
  return all.at(kind);
}

}  // namespace texcast::compact
