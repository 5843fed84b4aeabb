// option_list.h — subcommands and their options as plain data. command_line.cpp gives them to CLI11, and it alone sees
// that library, which is slow to compile.
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
  std::string names;  // "-o,--output"; "INPUT" where it is given by its place
  std::string type;   // of its value, as help shows it; empty: a flag
  std::string about;
  // Takes the values that were given, none of a flag. Gives what is wrong with them; empty: nothing.
  std::function<std::string(const std::vector<std::string>& values)> take;
  bool required = false;
  bool repeats = false;    // may be given several times; one given by its place takes several words
  bool common = false;     // of every subcommand
  std::string excludes{};  // the option that cannot be given beside it
};

struct Subcommand {
  std::string name;
  std::string about;
  std::string example;
  std::vector<Option> options{};
  // Runs after everything was parsed. `program` describes all subcommands.
  std::function<int(const Commands& commands, const std::function<CommandDoc()>& program)> run{};
  // Takes down what the command line said, before a file adds to it. Empty: no file does.
  std::function<void()> before_config{};
};

// The options that every subcommand has.
struct CommonOptions {
  bool verbose = false;
  bool quiet = false;
  std::string config;  // empty: the usual file, if it is there
  bool no_config = false;
};

// All subcommands, in the order in which help lists them. They own the structs that their options fill in.
std::vector<Subcommand> all_subcommands();
// The options of the program and of all its subcommands, so that they may be given before and behind its name.
std::vector<Option> common_options(CommonOptions& options);

}  // namespace texcast::cli
