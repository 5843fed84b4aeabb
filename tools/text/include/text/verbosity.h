// verbosity.h — how much a run says beside its results: -v and -q. One for the process, as there is one stderr.
#pragma once

namespace texcast {

enum class Verbosity {
  quiet,    // warnings and errors; no progress
  normal,   // what happens
  verbose,  // what whoever looks for a fault wants to know
};

// Also what the log lets through (log_to_stderr()). Before other threads log.
void set_verbosity(Verbosity verbosity);
Verbosity verbosity();

}  // namespace texcast
