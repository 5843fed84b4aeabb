#include "help.h"

#include <fmt/core.h>

#include <sstream>

namespace texcast::cli {
namespace {

constexpr size_t kColumn = 24;  // where the explanations begin
constexpr size_t kWidth = 96;

// "  label       explanation, wrapped
//                under itself"
std::string entry(const std::string& label, const std::string& explanation) {
  std::string text = "  " + label;
  if (text.size() + 2 > kColumn) text += "\n";
  size_t at = text.back() == '\n' ? 0 : text.size();
  const auto pad = [&] {
    text.append(kColumn - at, ' ');
    at = kColumn;
  };
  pad();
  std::istringstream words(explanation);
  for (std::string word; words >> word;) {
    if (at > kColumn && at + 1 + word.size() > kWidth) {
      text += '\n';
      at = 0;
      pad();
    } else if (at > kColumn) {
      text += ' ';
      ++at;
    }
    text += word;
    at += word.size();
  }
  return text + "\n";
}

}  // namespace

std::string help_text(const CommandDoc& command) {
  std::string positionals, options, subcommands;
  for (const OptionDoc& option : command.options)
    (option.positional ? positionals : options) += entry(label(option), option.about);
  for (const CommandDoc& sub : command.subcommands) subcommands += entry(sub.name, sub.about);

  std::string text = fmt::format("{}.\n\nUsage: {}\n", command.about, usage_line(command));
  if (!subcommands.empty()) text += "\nSubcommands:\n" + subcommands;
  if (!positionals.empty()) text += "\n" + positionals;
  if (!options.empty()) text += "\nOptions:\n" + options;
  if (subcommands.empty()) return text + fmt::format("\nExample: {}\n", command.example);
  return text + "\n`texcast SUBCOMMAND --help` tells more; `texcast doctor` checks this machine.\n";
}

}  // namespace texcast::cli
