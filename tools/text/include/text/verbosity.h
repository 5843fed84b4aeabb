// verbosity.h — how much the process logs: -v and -q.
#pragma once

namespace texcast {

enum class Verbosity {
  quiet,    // warnings and errors; no progress
  normal,   // also information
  verbose,  // also debug messages
};

// Also sets the level of the log (log_to_stderr()). Call it before other threads log.
void set_verbosity(Verbosity verbosity);
Verbosity verbosity();

}  // namespace texcast
