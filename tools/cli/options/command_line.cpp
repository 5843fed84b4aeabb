// Parses the command line with CLI11, by the rows of option_table.cpp.
#include "cli/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/regular_file.h"
#include "config_file.h"
#include "option_list.h"
#include "texcast/error.h"
#include "text/nearest.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

// ---- rows as options of CLI11 ----

void add_option(CLI::App& app, const Option& row) {
  CLI::Option* option = nullptr;
  if (row.type.empty()) {
    option = app.add_flag_callback(
        row.names, [take = row.take] { take({}); }, row.about);
  } else {
    const auto take = [take = row.take, names = row.names](const std::vector<std::string>& values) {
      if (const std::string wrong = take(values); !wrong.empty()) throw CLI::ValidationError(names, wrong);
      return true;
    };
    option = app.add_option(row.names, take, row.about)->type_name(row.type)->required(row.required);
    if (row.repeats) option->expected(CLI::detail::expected_max_vector_size);
    if (row.repeats && !option->get_positional()) option->allow_extra_args(false);
  }
  if (!row.excludes.empty()) option->excludes(app.get_option(row.excludes));
  if (row.common) option->group(kCommonGroup);
}

void add_options(CLI::App& app, const std::vector<Option>& rows) {
  for (const Option& row : rows) add_option(app, row);
}

// `chosen` is set to the subcommand that was named.
void define_all(CLI::App& app, const std::vector<Subcommand>& subcommands, const std::vector<Option>& common,
                const Subcommand*& chosen) {
  app.name("texcast");
  app.description("Compress video into GPU texture blocks; stream, record and play them");
  app.set_version_flag("--version", std::string("texcast ") + program_version(), "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(1);
  for (const Subcommand& row : subcommands) {
    CLI::App* sub = app.add_subcommand(row.name, row.about);
    sub->footer(row.example);
    add_options(*sub, row.options);
    sub->callback([&row, &chosen] { chosen = &row; });
  }
  add_options(app, common);
  for (CLI::App* sub : app.get_subcommands({})) add_options(*sub, common);
}

// Converts the options as CLI11 knows them to plain data.
CommandDoc describe(const CLI::App& app) {
  CommandDoc doc{.name = app.get_name(),
                 .about = app.get_description(),
                 .example = app.get_footer(),
                 .options = {},
                 .subcommands = {}};
  for (const CLI::Option* option : app.get_options()) {
    OptionDoc& o = doc.options.emplace_back();
    for (const std::string& name : option->get_snames()) o.short_names.push_back(name[0]);
    o.long_names = option->get_lnames();
    o.positional = option->get_positional();
    if (o.positional) o.name = option->get_name(true);
    o.required = option->get_required();
    if (option->get_type_size() != 0) o.type = option->get_type_name();
    o.about = option->get_description();
    o.repeats = option->get_expected_max() > 1;
    o.common = option->get_group() == kCommonGroup;
  }
  for (const CLI::App* sub : app.get_subcommands({})) doc.subcommands.push_back(describe(*sub));
  return doc;
}

// In `ctl PATH seek -5` the number is not an option: no option of `ctl` begins with a digit.
bool is_number_below_0(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && (word[1] == '.' || (word[1] >= '0' && word[1] <= '9'));
}

// ---- "--": all following words are positional arguments ----

// CLI11 accepts "--" only while required positional arguments are missing, so that `verify a.mov -- -b.mov` fails.
// Therefore words after it get this prefix, with which no option begins, and it is removed when they are stored.
constexpr char kNoOption = '\x01';

std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> words;
  bool options_ended = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool number = !words.empty() && words.front() == "ctl" && is_number_below_0(word);
    if (!options_ended && word == "--")
      options_ended = true;
    else
      words.push_back(options_ended || number ? kNoOption + std::string(word) : std::string(word));
  }
  return words;
}

std::string without_mark(std::string text) {
  std::erase(text, kNoOption);
  return text;
}

void take_marked_words(CLI::App& app) {
  for (CLI::App* sub : app.get_subcommands({}))
    for (CLI::Option* option : sub->get_options())
      if (option->get_positional())
        option->transform([](const std::string& word) { return word.starts_with(kNoOption) ? word.substr(1) : word; });
}

Verbosity verbosity_of(const CommonOptions& common) {
  return common.verbose ? Verbosity::verbose : common.quiet ? Verbosity::quiet : Verbosity::normal;
}

constexpr size_t kLargestConfig = 1 << 20;  // bytes; a file with all options has some kilobytes

void take_config(CLI::App& app, const CommonOptions& common) {
  if (common.no_config) return;
  const std::string path = common.config.empty() ? usual_config() : common.config;
  std::error_code error;
  if (common.config.empty() && !std::filesystem::exists(path, error)) return;
  const auto text = read_regular_file(path, kLargestConfig);
  if (!text)
    throw Error(ErrorKind::input,
                fmt::format("cannot read options from '{}' (--config): {}", path, text.error().message));
  log_debug("options from {}", path);
  ConfigFile(path, *text).apply(app, *app.get_subcommands().front());
}

// ---- usage errors ----

// The name of an option that was given twice although it does not repeat. Which of the two was meant is not guessed.
std::string given_twice(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands())
    for (const CLI::Option* option : sub->get_options())
      if (!option->get_positional() && option->count() > 1 && option->get_expected_max() <= 1)
        return option->get_name();
  return {};
}

// The first word that looks like an option and is none: "--qualty", without its value. Empty: there is none. The words
// after an unknown option may have taken the places of others, so that this is the first thing to say.
std::string unknown_option(const CLI::App& app) {
  for (const std::string& word : app.remaining(true))
    if (word.size() > 1 && word[0] == '-') return word.substr(0, word.find('='));
  return {};
}

// "unknown option --qualty; did you mean --quality?"
std::string unknown_option_text(const CLI::App& app, const std::string& unknown) {
  const auto chosen = app.get_subcommands();
  std::vector<std::string> known;
  for (const CLI::Option* option : (chosen.empty() ? &app : chosen.front())->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  return fmt::format("unknown option {}{}", unknown, did_you_mean(unknown, known));
}

// The complaint about words in place of a subcommand.
std::string no_subcommand(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::App* sub : app.get_subcommands({})) known.push_back(sub->get_name());
  for (const std::string& word : app.remaining())
    if (const std::string plain = without_mark(word); !plain.starts_with('-'))
      return fmt::format("'{}' is not a subcommand{}", plain, did_you_mean(plain, known));
  return "no subcommand given";
}

// Prints one line with the error and the help command.
int wrong_usage(const CLI::App& app, const std::string& error, bool lacks_value = false) {
  const auto chosen = app.get_subcommands();
  const std::string where = chosen.empty() ? "texcast" : "texcast " + chosen.front()->get_name();
  std::string what = without_mark(error);
  const std::string unknown = unknown_option(app);
  if (const std::string twice = given_twice(app); !twice.empty())
    what = twice + " was given twice";
  else if (chosen.empty())
    what = no_subcommand(app);
  else if (!unknown.empty())
    what = unknown_option_text(app, unknown);
  else if (const auto surplus = chosen.front()->remaining(); !surplus.empty())
    what = fmt::format("unexpected argument '{}'", without_mark(surplus.front()));
  else if (lacks_value)
    what = what.substr(0, what.find(':')) + " needs a value";
  if (const size_t end = what.find('\n'); end != std::string::npos) what.resize(end);
  std::fputs(fmt::format("texcast: {} (see: {} --help)\n", what, where).c_str(), stderr);
  return static_cast<int>(ErrorKind::usage);
}

}  // namespace

int run_command_line(int argc, const char* const* argv, const Commands& commands) {
  CommonOptions common;
  const std::vector<Subcommand> subcommands = all_subcommands();
  const Subcommand* chosen = nullptr;
  CLI::App app;
  define_all(app, subcommands, common_options(common), chosen);
  take_marked_words(app);
  try {
    std::vector<std::string> words = words_of(argc, argv);
    std::ranges::reverse(words);  // CLI11 expects them in reverse
    app.parse(std::move(words));
  } catch (const CLI::CallForVersion& version) {
    return fmt::print("{}\n", version.what()), 0;
  } catch (const CLI::CallForHelp&) {
    const auto named = app.get_subcommands();
    return fmt::print("{}", help_text(describe(named.empty() ? app : *named.front()))), 0;
  } catch (const CLI::ParseError& error) {
    return wrong_usage(app, error.what(), dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr);
  }
  if (!given_twice(app).empty()) return wrong_usage(app, "");
  set_verbosity(verbosity_of(common));
  if (chosen->before_config) {
    chosen->before_config();
    take_config(app, common);
    set_verbosity(verbosity_of(common));
  }
  if (chosen->settle)
    if (const std::string wrong = chosen->settle(); !wrong.empty()) return wrong_usage(app, wrong);
  return chosen->run(commands, [&app] { return describe(app); });
}

}  // namespace texcast::cli
