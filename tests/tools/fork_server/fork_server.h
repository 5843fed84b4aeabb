// fork_server.h — a running fork-server, for a test program that starts texcast often.
#pragma once

#include <sys/types.h>

#include <string>

#include "temporary_folder.h"

namespace texcast::test {

// Starts the server, and at the end of the scope ends it with all its processes.
class ForkServer {
 public:
  ForkServer();
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  // "NAME=value" in the environment of texcast-by-fork.
  const std::string& variable() const { return variable_; }

 private:
  TemporaryFolder folder_;
  std::string variable_;
  pid_t process_ = 0;
  int input_ = -1;  // the server ends when this is closed
};

}  // namespace texcast::test
