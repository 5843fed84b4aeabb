// protocol.h — how `texcast-by-fork` asks `fork-server` for a process of the program. Both run on one machine and are
// of one build, so integers have the host's layout.
//
// The client sends a Request together with its descriptors (SCM_RIGHTS): its working folder first, then those of
// 0, 1 and 2 that are open. `bytes` of text follow: words, then environment variables, each ended by a zero byte. The
// server answers with the pid of the process and, when that has ended, with the status that waitpid gave.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <cstdint>

namespace texcast::test {

// The environment variable in which a client finds the server's socket.
constexpr const char* kForkServerVariable = "TEXCAST_FORK_SERVER";

// Signals that a client passes on to its process. SIGKILL needs no passing on: the server ends the process when its
// client is gone.
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
