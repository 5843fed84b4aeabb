#include "fork_server.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "protocol.h"

extern char** environ;

namespace texcast::test {
namespace {

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int take_writing_end() { return std::exchange(ends[1], -1); }
};

}  // namespace

ForkServer::ForkServer() {
  const std::string socket = folder_.file("fork-server");
  variable_ = std::string(kForkServerVariable) + "=" + socket;
  Pipe input, output;
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, input.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&streams, output.ends[1], STDOUT_FILENO);
  std::string program = TEXCAST_FORK_SERVER_PROGRAM, path = socket;
  char* words[] = {program.data(), path.data(), nullptr};
  const int failure = posix_spawn(&process_, words[0], &streams, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&streams);
  if (failure != 0) throw std::runtime_error("cannot start " + program);
  close(output.take_writing_end());
  char listens = 0;
  if (read(output.ends[0], &listens, 1) != 1) throw std::runtime_error(program + " ended before it listened");
  input_ = input.take_writing_end();
}

ForkServer::~ForkServer() {
  close(input_);
  waitpid(process_, nullptr, 0);
}

}  // namespace texcast::test
