#include "cli/help.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <sstream>
#include <vector>

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

bool many_values(const CLI::Option& option) { return option.get_expected_max() > 1; }

}  // namespace

std::string option_label(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true) + (many_values(option) ? "..." : "");
  std::string label;
  for (const std::string& name : option.get_snames()) label += (label.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) label += (label.empty() ? "--" : ", --") + name;
  if (option.get_type_size() != 0) label += " " + value_type(option);
  return label;
}

std::string value_type(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));  // CLI11 appends what its checks say
}

std::string usage_line(const CLI::App& app) {
  std::string line = app.get_parent() == nullptr ? "texcast SUBCOMMAND" : "texcast " + app.get_name();
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) line += " " + option_label(*option);
  return line + " [options]";
}

std::string help_text(const CLI::App& app) {
  std::string positionals, options, commands;
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? positionals : options) += entry(option_label(*option), option->get_description());
  for (const CLI::App* sub : app.get_subcommands({})) commands += entry(sub->get_name(), sub->get_description());

  std::string text = fmt::format("{}.\n\nUsage: {}\n", app.get_description(), usage_line(app));
  if (!commands.empty()) text += "\nSubcommands:\n" + commands;
  if (!positionals.empty()) text += "\n" + positionals;
  if (!options.empty()) text += "\nOptions:\n" + options;
  if (app.get_parent() == nullptr)
    text += "\n`texcast SUBCOMMAND --help` tells more; `texcast doctor` checks this machine.\n";
  else
    text += fmt::format("\nExample: {}\n", app.get_footer());
  return text;
}

}  // namespace texcast::cli
