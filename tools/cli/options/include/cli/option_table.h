// option_table.h — the one table of subcommands and options: parsing, help, man page and completions come from it.
#pragma once

namespace texcast::cli {

// Parses and runs. Gives the exit code; throws what the subcommand throws.
int run_command_line(int argc, const char* const* argv);

}  // namespace texcast::cli
