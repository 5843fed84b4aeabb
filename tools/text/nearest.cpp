#include "text/nearest.h"

#include <algorithm>

namespace texcast {
namespace {

// The number of single letters to insert, leave out, replace or swap with their neighbour (optimal string alignment).
size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last, row(b.size() + 1);  // rows i - 2, i - 1 and i
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

constexpr size_t kLongest = 100;  // letters of a word that can be meant

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return lower;
}

std::string nearest(std::string_view word, const std::vector<std::string>& choices) {
  if (word.size() < 2 || word.size() > kLongest) return {};
  const std::string wanted = lower_case(word);
  const std::string *begun = nullptr, *best = nullptr;
  size_t begun_count = 0, fewest = std::max<size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& choice : choices) {
    const std::string lower = lower_case(choice);
    if (lower.starts_with(wanted)) begun = &choice, ++begun_count;
    if (const size_t count = lower.size() > kLongest ? fewest : edits(wanted, lower); count < fewest)
      best = &choice, fewest = count;
  }
  if (begun_count == 1) return *begun;
  return best != nullptr ? *best : std::string();
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& choices) {
  const std::string meant = nearest(word, choices);
  return meant.empty() ? "" : "; did you mean " + meant + "?";
}

}  // namespace texcast
