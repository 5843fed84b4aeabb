// program.h — runs the program like a user, and returns its output.
//
// Loading the program's two hundred libraries would take most of the time of these tests, so `texcast` runs in a fork
// of a server that has loaded them (fork_server/). Tests of the start itself run the built program.
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
  // `err` without informational lines ("listening on …", "sending …").
  std::vector<std::string> complaints() const;
};

// Runs shell text. Exit code 124: it hung and was ended after `limit_s`. In it,
//   texcast   is the program, in a fork of the server;
//   $program  is the same as a command that can run in the background: it passes signals on, but not SIGSTOP. If it is
//             killed, its process is killed too, but a little later;
//   $built    is the built program. Use it where a test kills the program (SIGKILL), and it must be gone after `wait`.
Outcome shell(const std::string& text, int limit_s = 300);
// The same for one command of the program that needs no shell, in `folder`.
Outcome run(const std::string& command, const Folder& folder, int limit_s = 300);
bool needs_no_shell(const std::string& command);

std::string inside(const Folder& folder, const std::string& text);  // shell text that runs in the folder
std::string data(const std::string& name);                          // path of a file in tests/data
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);
uint16_t free_port();  // for UDP and TCP, with the ports after it for RTCP and audio

}  // namespace texcast::test
