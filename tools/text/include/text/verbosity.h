// verbosity.h — how much the process logs: -v and -q.
#pragma once

namespace texcast {

enum class Verbosity {
  quiet,    // warnings and errors; no progress, and no report of what a command has done
  normal,   // also information
  verbose,  // also debug messages
};

// Also sets the level of the log (log_to_stderr()). Call it before other threads log.
void set_verbosity(Verbosity verbosity);
Verbosity verbosity();
// True if commands print a report of their work in words. Output that was asked for is always printed.
inline bool reports() { return verbosity() != Verbosity::quiet; }

}  // namespace texcast
