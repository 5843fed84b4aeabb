// command_doc.h — the option table as plain data, so that help, man page and completions need not see CLI11 (which is
// slow to compile).
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
};

struct CommandDoc {
  std::string name;
  std::string about;
  std::string example;
  std::vector<OptionDoc> options;       // positionals too, in order
  std::vector<CommandDoc> subcommands;  // of the program itself
};

// "--format FORMAT", "-h, --help", "DEST...", "[WHAT...]"
std::string label(const OptionDoc& option);
// "texcast encode INPUT OUTPUT [options]"
std::string usage_line(const CommandDoc& command);

}  // namespace texcast::cli
