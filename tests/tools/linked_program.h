// linked_program.h — the program, linked into a test and run in forks of it. FFmpeg's 130 libraries are loaded once:
// that is most of what a command takes that only complains about a file.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

int texcast_main(int argc, char** argv);  // tools/main.cpp

namespace texcast::test {

// Loads, once, the libraries that commands with files load, so that forks from now on have them.
void load_media_libraries();

// Starts it with these words behind its name; `prepare` is called in the fork before. Its standard output goes to the
// file `out`, what it says to `err`; nobody answers it.
pid_t start_linked_program(const std::vector<std::string>& words, const std::string& out, const std::string& err,
                           const std::function<void()>& prepare);

}  // namespace texcast::test
