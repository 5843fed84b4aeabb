// program.h — runs the built program as a user would, and looks at what it says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "temporary_folder.h"

namespace texcast::test {

using Folder = TemporaryFolder;

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
  // Of `err`, without the lines that only say what is going on ("listening on …", "sending …").
  std::vector<std::string> complaints() const;
};

// Runs shell text in which `texcast` is the program ("$program" its path, for what is to be killed); ends it after
// `limit_s`. Exit code 124 = it took longer.
Outcome shell(const std::string& text, int limit_s = 60);
// The same of a command of the program alone, without what only a shell can do, in `folder`, in a tenth of the time:
// the program is linked in (linked_program.h).
Outcome linked(const std::string& command, const Folder& folder, int limit_s = 60);
bool can_be_linked(const std::string& command);

std::string data(const std::string& name);  // a file of tests/data
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);
uint16_t free_port();

}  // namespace texcast::test
