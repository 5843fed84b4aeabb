// Reads the files of tables/. A file has a line "[NAME]" for each table set, and below it a line for each context: its
// row, or "-" if the set has no row for it. Contexts at the end that have no line have no row.
#include <deque>
#include <map>
#include <string>
#include <utility>

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

struct Texts {
  std::map<std::string, std::vector<TrainedText>, std::less<>> of_kind{};
  std::deque<std::string> given{};  // the memory of those that are not embedded
};

Texts& texts() {
  static Texts all = [] {
    Texts embedded;
    for (const EmbeddedFile& file : embedded_files())
      embedded.of_kind.emplace(file.name.substr(0, file.name.find('.')), read(file.text));
    return embedded;
  }();
  return all;
}

}  // namespace

const std::vector<TrainedText>& trained_text(std::string_view kind) {
  const auto found = texts().of_kind.find(kind);
  ENSURE(found != texts().of_kind.end());
  return found->second;
}

bool has_trained_text(std::string_view kind) { return texts().of_kind.contains(kind); }

void give_trained_text(std::string kind, std::string text) {
  if (has_trained_text(kind)) return;
  const std::string& kept = texts().given.emplace_back(std::move(text));
  texts().of_kind.emplace(std::move(kind), read(kept));
}

}  // namespace texcast::compact
