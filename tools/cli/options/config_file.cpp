#include "config_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "texcast/error.h"
#include "text/figures.h"
#include "text/nearest.h"
#include "trimmed.h"

namespace texcast::cli {
namespace {

CLI::App* find_subcommand(CLI::App& app, const std::string& name) {
  for (CLI::App* sub : app.get_subcommands({}))
    if (sub->get_name() == name) return sub;
  return nullptr;
}

std::vector<std::string> names_of_subcommands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  return names;
}

// The keys of a subcommand's section.
std::vector<std::string> keys_of(const CLI::App& sub) {
  std::vector<std::string> keys;
  for (const CLI::Option* option : sub.get_options())
    if (option->get_group() != kCommonGroup)
      for (const std::string& name : option->get_lnames())
        if (name != "help") keys.push_back(name);
  return keys;
}

bool excluded(const CLI::Option& option) {
  return std::ranges::any_of(option.get_excludes(), [](const CLI::Option* other) { return other->count() > 0; });
}

bool opens_or_closes(const CLI::ConfigItem& item) { return item.name == "++" || item.name == "--"; }

// A line of the file, without blanks around it and without a comment.
std::string without_comment(const std::string& line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote != 0 && line[i] == quote)
      quote = 0;
    else if (quote == 0 && (line[i] == '"' || line[i] == '\''))
      quote = line[i];
    else if (quote == 0 && line[i] == '#')
      return trimmed(line.substr(0, i));
  }
  return trimmed(line);
}

bool is_section(const std::string& text) { return text.starts_with('[') && text.ends_with(']'); }

std::string unquoted(const std::string& text) {
  const bool quoted = text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// CLI11 takes "[send] # live" for the name of an option: a comment after a section's name is removed, and so are blanks
// within the brackets.
std::string with_bare_sections(const std::string& text) {
  std::istringstream lines(text);
  std::string bare;
  for (std::string line; std::getline(lines, line);) {
    const std::string content = without_comment(line);
    bare += (is_section(content) ? "[" + unquoted(trimmed(content, "[] \t")) + "]" : line) + "\n";
  }
  return bare;
}

}  // namespace

// Some editors begin a UTF-8 file with a byte order mark, which TOML does not allow.
ConfigFile::ConfigFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) text_.erase(0, kByteOrderMark.size());
  text_ = with_bare_sections(text_);
}

// CLI11 does not report lines. 0: not found, if the file is written in some unusual form.
size_t ConfigFile::line_of(const CLI::ConfigItem& item) const {
  const std::string section_wanted = item.parents.empty() ? "" : item.parents.front();
  const std::string key_wanted = opens_or_closes(item) ? "" : item.name;
  const std::string dotted = fmt::format("{}.{}", section_wanted, key_wanted);
  std::istringstream lines(text_);
  std::string section;
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string text = without_comment(line);
    if (is_section(text)) {
      section = text.substr(1, text.size() - 2);
      if (key_wanted.empty() && (section == section_wanted || section.starts_with(section_wanted + "."))) return number;
      continue;
    }
    const std::string key = unquoted(trimmed(text.substr(0, text.find('='))));
    if (key_wanted.empty() || key.empty()) continue;
    if ((section == section_wanted && key == key_wanted) || (section.empty() && key == dotted)) return number;
  }
  return 0;
}

void ConfigFile::refuse(const CLI::ConfigItem& item, const std::string& why) const {
  const size_t line = line_of(item);
  throw Error(ErrorKind::usage, fmt::format("{}{}: {}", path_, line == 0 ? "" : fmt::format(":{}", line), why));
}

CLI::Option& ConfigFile::find(CLI::App& app, const CLI::ConfigItem& item) const {
  CLI::App* where = &app;
  if (!item.parents.empty()) where = find_subcommand(app, item.parents.front());
  if (where == nullptr || item.parents.size() > 1)
    refuse(item, fmt::format("'{}' is not a subcommand{}", joined(item.parents, "."),
                             did_you_mean(item.parents.front(), names_of_subcommands(app))));
  CLI::Option* option = where->get_option_no_throw("--" + item.name);
  const std::vector<std::string> never = {"help", "version", "config", "no-config"};
  if (option == nullptr || std::ranges::find(never, item.name) != never.end() ||
      (where != &app && option->get_group() == kCommonGroup))
    refuse(item,
           fmt::format("'{}' is not an option of {}", item.name,
                       where == &app ? "all subcommands; options of one go into its section, as [send]"
                                     : "texcast " + where->get_name() + did_you_mean(item.name, keys_of(*where))));
  return *option;
}

void ConfigFile::take(CLI::Option& option, const CLI::ConfigItem& item) const {
  if (option.count() > 0 || excluded(option)) return;  // the command line overrides the file
  try {
    if (option.get_items_expected_max() == 0) {
      option.add_result(option.get_flag_value(item.name, CLI::ConfigTOML().to_flag(item)));
    } else {
      if (static_cast<int>(item.inputs.size()) > option.get_items_expected_max())
        refuse(item, fmt::format("'{}' is given twice, or has several values", item.name));
      for (const std::string& input : item.inputs) option.add_result(input);
    }
    option.run_callback();
  } catch (const CLI::Error& error) {
    refuse(item, fmt::format("'{}': {}", item.name, error.what()));
  }
}

void ConfigFile::apply(CLI::App& app, CLI::App& chosen) const {
  std::istringstream lines(text_);
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(lines);
  } catch (const CLI::Error& error) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", path_, error.what()));
  }
  for (const CLI::ConfigItem& item : items) {
    if (opens_or_closes(item)) {
      if (item.parents.size() != 1 || find_subcommand(app, item.parents.front()) == nullptr)
        refuse(item, fmt::format("'{}' is not a subcommand{}", joined(item.parents, "."),
                                 did_you_mean(item.parents.front(), names_of_subcommands(app))));
      continue;
    }
    CLI::Option& option = find(app, item);
    if (item.parents.empty()) {
      // If given after the subcommand's name, CLI11 counts it for the subcommand.
      const CLI::Option* own = chosen.get_option("--" + item.name);
      if (own->count() == 0 && !excluded(*own)) take(option, item);
    } else if (item.parents.front() == chosen.get_name()) {
      take(option, item);
    }
  }
}

std::string usual_config() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config != nullptr && *config == '/') return std::string(config) + "/texcast/config.toml";
  return home != nullptr && *home == '/' ? std::string(home) + "/.config/texcast/config.toml" : "";
}

}  // namespace texcast::cli
