#include "x_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace texcast::test {
namespace {

// Xvfb writes its number into the pipe that `ready` names.
[[noreturn]] void become_server(const XServer::Settings& settings, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // it must not outlive a test that crashed
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  const std::string fd = std::to_string(ready);
  std::vector<const char*> words{"Xvfb",      "-displayfd", fd.c_str(), "-screen", "0", settings.size_and_depth,
                                 "-nolisten", "tcp",        "-noreset"};
  for (const std::string& word : settings.more) words.push_back(word.c_str());
  words.push_back(nullptr);
  execvp("Xvfb", const_cast<char**>(words.data()));
  _exit(127);
}

}  // namespace

XServer::XServer(const Settings& settings) {
  if (const char* before = std::getenv("DISPLAY")) before_ = before;
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return;
  id_ = fork();
  if (id_ == 0) {
    close(ends[0]);
    become_server(settings, ends[1]);
  }
  close(ends[1]);
  std::string number;
  pollfd waiting{ends[0], POLLIN, 0};
  const auto patience = static_cast<int>(settings.patience.count());
  for (char c = 0; c != '\n' && poll(&waiting, 1, patience) == 1 && read(ends[0], &c, 1) == 1;)
    if (c >= '0' && c <= '9') number += c;
  close(ends[0]);
  is_there_ = !number.empty();
  if (is_there_) setenv("DISPLAY", (":" + number).c_str(), 1);
}

XServer::~XServer() {
  end();
  before_ ? setenv("DISPLAY", before_->c_str(), 1) : unsetenv("DISPLAY");
}

void XServer::end(int by_signal) {
  if (id_ <= 0) return;
  kill(id_, by_signal);
  waitpid(id_, nullptr, 0);
  id_ = -1;
}

}  // namespace texcast::test
