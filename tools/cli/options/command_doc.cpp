#include "command_doc.h"

namespace texcast::cli {

std::string label(const OptionDoc& option) {
  if (option.positional) {
    const std::string text = option.name + (option.repeats ? "..." : "");
    return option.required ? text : "[" + text + "]";
  }
  std::string text;
  for (const char name : option.short_names) text += (text.empty() ? "-" : ", -") + std::string(1, name);
  for (const std::string& name : option.long_names) text += (text.empty() ? "--" : ", --") + name;
  return option.type.empty() ? text : text + " " + option.type;
}

std::string usage_line(const CommandDoc& command) {
  std::string line = command.subcommands.empty() ? "texcast " + command.name : "texcast SUBCOMMAND";
  for (const OptionDoc& option : command.options)
    if (option.positional) line.append(" ").append(label(option));
  return line + " [options]";
}

}  // namespace texcast::cli
