// linked_program.h — the program, linked into a test and run in forks of it. FFmpeg's 130 libraries are loaded once,
// which takes most of the time of a command that only rejects a file.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

int texcast_main(int argc, char** argv);  // tools/main.cpp

namespace texcast::test {

// Loads the libraries that commands with files need, so that later forks have them.
void load_media_libraries();

// Starts it with these arguments; `prepare` is called in the fork before. Standard output goes to the file `out`,
// standard error to `err`, and standard input is empty.
pid_t start_linked_program(const std::vector<std::string>& words, const std::string& out, const std::string& err,
                           const std::function<void()>& prepare);

}  // namespace texcast::test
