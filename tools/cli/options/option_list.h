// option_list.h — subcommands and their options as plain data. Only command_line.cpp, which hands them to CLI11,
// includes that library, because it is slow to compile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "manual.h"

namespace texcast::cli {

struct Option {
  std::string names;  // "-o,--output"; a positional argument: "INPUT"
  std::string type;   // type of the value, as help shows it; empty: a flag
  std::string about;
  // Stores the values, of which a flag has none. Returns an error message, or an empty string.
  std::function<std::string(const std::vector<std::string>& values)> take;
  bool required = false;
  bool repeats = false;    // may be given several times; a positional argument takes several words
  bool common = false;     // an option of all subcommands
  std::string excludes{};  // the option that cannot be combined with this one
};

struct Subcommand {
  std::string name;
  std::string about;
  std::string example;
  std::vector<Option> options{};
  // Runs after parsing. `program` describes all subcommands.
  std::function<int(const Commands& commands, const std::function<CommandDoc()>& program)> run{};
  // Stores the options of the command line (as_given()) before those of a config file are added. Empty: no config file
  // is read.
  std::function<void()> before_config{};
  // Checks the options after those of a config file were added, and completes them. Returns an error message, or an
  // empty string.
  std::function<std::string()> settle{};
};

// The options of all subcommands.
struct CommonOptions {
  bool verbose = false;
  bool quiet = false;
  std::string config;  // empty: the usual file, if it exists
  bool no_config = false;
};

// All subcommands in the order of the help text. They own the structs that their options fill in.
std::vector<Subcommand> all_subcommands();
// Applies an option of `encode` that is about one texture, as "--mips" with "kaiser"; flags have an empty value.
// Returns an error message, or an empty string.
std::string take_encode_option(EncodeOptions& options, const std::string& option, const std::string& value);
// Applies several such options, each with its value in the next word if it has one.
std::string take_encode_options(EncodeOptions& options, const std::vector<std::string>& words);
// The options that are about one texture, each with the type of its value (empty: a flag).
std::vector<std::pair<std::string, std::string>> texture_options();
// The options of the program and of all subcommands, accepted before and after the subcommand's name.
std::vector<Option> common_options(CommonOptions& options);

}  // namespace texcast::cli
