// help.h — `--help`: one screen a subcommand.
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace texcast::cli {

std::string help_text(const CLI::App& app);
// "texcast encode INPUT OUTPUT [options]"
std::string usage_line(const CLI::App& app);
// "--format FORMAT", "-h, --help", "DEST..."
std::string option_label(const CLI::Option& option);
// "FORMAT": what kind of value the option takes
std::string value_type(const CLI::Option& option);

}  // namespace texcast::cli
