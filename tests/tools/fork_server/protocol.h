// protocol.h — how `texcast-by-fork` requests a process of the program from `fork-server`. Both come from one build and
// run on one machine, so integers have the host's layout.
//
// The client sends a Request together with its descriptors (SCM_RIGHTS): its working directory first, then those of 0,
// 1 and 2 that are open. `bytes` of text follow: arguments, then environment variables, each ended by a zero byte. The
// server answers with the pid of the process and, when that has ended, with the status of waitpid.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <cstdint>

namespace texcast::test {

// The environment variable with the path of the server's socket.
constexpr const char* kForkServerVariable = "TEXCAST_FORK_SERVER";

// Signals that a client passes on to its process. SIGKILL need not be passed on: the server ends a process when its
// client has ended.
constexpr int kPassedSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

struct Request {
  uint32_t words;
  uint32_t variables;
  uint32_t bytes;
  uint32_t open_streams;     // bit n: descriptor n of 0, 1, 2
  uint64_t ignored_signals;  // bit n: signal n
  mode_t file_mode_mask;
  rlimit limits[RLIM_NLIMITS];
};

}  // namespace texcast::test
