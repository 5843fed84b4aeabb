// manual.h — help, the man page and shell completions, made by walking the option table as plain data: they need not
// see CLI11, which is slow to compile.
#pragma once

#include <string>
#include <vector>

namespace texcast::cli {

struct OptionDoc {
  std::vector<char> short_names;        // 'h'
  std::vector<std::string> long_names;  // "format"
  std::string name;                     // of a positional: "INPUT"
  std::string type;                     // "FORMAT"; empty for a flag
  std::string about;
  bool positional = false;
  bool required = false;
  bool repeats = false;  // DEST...
  bool common = false;   // of every subcommand
};

struct CommandDoc {
  std::string name;
  std::string about;
  std::string example;
  std::vector<OptionDoc> options;       // positionals too, in order
  std::vector<CommandDoc> subcommands;  // of the program itself
};

// `--help`: one screen a subcommand.
std::string help_text(const CommandDoc& command);
std::string man_page(const CommandDoc& program);
// `shell` is bash, zsh or fish; throws Error{usage} for another.
std::string completion_script(const CommandDoc& program, const std::string& shell);

}  // namespace texcast::cli
