#include "cli/encode_rules.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <filesystem>
#include <sstream>
#include <string_view>

#include "base/regular_file.h"
#include "option_list.h"
#include "texcast/error.h"
#include "trimmed.h"

namespace texcast::cli {
namespace {

constexpr size_t kLargestRules = 1 << 20;  // bytes; thousands of lines

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Returns an error message, or an empty string. The first word may be a format, without --format.
std::string take_words(EncodeOptions& options, const std::vector<std::string>& words) {
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    std::string wrong;
    if (at == 0 && !word.starts_with("--"))
      wrong = take_encode_option(options, "--format", word);
    else if (at + 1 < words.size() && !words[at + 1].starts_with("--"))
      wrong = take_encode_option(options, word, words[++at]);
    else
      wrong = take_encode_option(options, word, "");
    if (!wrong.empty()) return wrong;
  }
  return "";
}

Result<EncodeRule> parse_rule(const std::string& line) {
  const size_t equals = line.find('=');
  if (equals == std::string::npos) return Failure{"a line is PATTERN = FORMAT OPTIONS, as *_n.png = bc5"};
  EncodeRule rule{.pattern = trimmed(line.substr(0, equals)), .options = {}};
  const std::vector<std::string> words = words_of(line.substr(equals + 1));
  if (rule.pattern.empty()) return Failure{"no pattern stands before ="};
  if (words.empty()) return Failure{"no format stands behind ="};
  if (const std::string wrong = take_words(rule.options, words); !wrong.empty()) return Failure{wrong};
  return rule;
}

}  // namespace

EncodeRules::EncodeRules(const std::string& file) {
  const auto text = read_regular_file(file, kLargestRules);
  if (!text)
    throw Error(ErrorKind::input, fmt::format("cannot read rules from '{}' (--rules): {}", file, text.error().message));
  std::istringstream lines(*text);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string rule_text = trimmed(line);
    if (rule_text.empty() || rule_text[0] == '#') continue;
    const auto rule = parse_rule(rule_text);
    if (!rule) throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", file, number, rule.error().message));
    rules_.push_back(*rule);
  }
}

const EncodeRule* EncodeRules::match(const std::string& path) const {
  const std::string name = std::filesystem::path(path).filename();
  for (const EncodeRule& rule : rules_) {
    const bool has_folder = rule.pattern.find('/') != std::string::npos;
    if (fnmatch(rule.pattern.c_str(), (has_folder ? path : name).c_str(), 0) == 0) return &rule;
  }
  return nullptr;
}

}  // namespace texcast::cli
