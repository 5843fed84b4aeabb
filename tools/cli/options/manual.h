// manual.h — help texts, the man page and shell completions, generated from the option table as plain data, without
// CLI11, which is slow to compile.
#pragma once

#include <string>
#include <vector>

namespace texcast::cli {

struct OptionDoc {
  std::vector<char> short_names;        // 'h'
  std::vector<std::string> long_names;  // "format"
  std::string name;                     // a positional argument: "INPUT"
  std::string type;                     // "FORMAT"; empty for a flag
  std::string about;
  bool positional = false;
  bool required = false;
  bool repeats = false;  // DEST...
  bool common = false;   // an option of all subcommands
};

struct CommandDoc {
  std::string name;
  std::string about;
  std::string example;
  std::vector<OptionDoc> options;       // with positional arguments, in order
  std::vector<CommandDoc> subcommands;  // only of the program itself
};

// `--help`: at most 70 lines for each subcommand.
std::string help_text(const CommandDoc& command);
// The help of the program's subcommand of that name; of the program if it is empty. Throws Error{usage} if there is
// none.
std::string help_about(const CommandDoc& program, const std::string& subcommand);
std::string man_page(const CommandDoc& program);
// `shell` is bash, zsh or fish; throws Error{usage} for any other.
std::string completion_script(const CommandDoc& program, const std::string& shell);

}  // namespace texcast::cli
