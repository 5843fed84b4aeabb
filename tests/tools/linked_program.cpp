#include "linked_program.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "lazy/lazy_library.h"

namespace texcast::test {

void load_media_libraries() {
  static const bool loaded = [] {
    for (const lazy::LibraryFile& file : lazy::library_files())
      if (file.soname.starts_with("libavformat.") || file.soname.starts_with("libswscale.")) lazy::load_complaint(file);
    return true;
  }();
  static_cast<void>(loaded);
}

pid_t start_linked_program(const std::vector<std::string>& words, const std::string& out, const std::string& err,
                           const std::function<void()>& prepare) {
  std::vector<char*> arguments = {const_cast<char*>("texcast")};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  load_media_libraries();
  std::fflush(stdout);  // else the child would print it too
  const pid_t child = fork();
  if (child != 0) return child;
  if (!std::freopen("/dev/null", "r", stdin) || !std::freopen(out.c_str(), "w", stdout) ||
      !std::freopen(err.c_str(), "w", stderr))
    _exit(126);
  prepare();
  const int exit_code = texcast_main(static_cast<int>(words.size()) + 1, arguments.data());
  // Skips the destructors of two hundred libraries, which take a third of the time of a short command.
  std::fflush(nullptr);
  _exit(exit_code);
}

}  // namespace texcast::test
