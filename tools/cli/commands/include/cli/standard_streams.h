// standard_streams.h — handles stdin, stdout and stderr that are closed, full, or a pipe without a reader.
#pragma once

#include <string>

namespace texcast::cli {

// Call once, before any file is opened. If a standard descriptor is closed, the next file to be opened would get its
// number, and output for stdout would be written into that file. Afterwards writing to a closed stdout fails, reading
// from a closed stdin fails too, and writing to a closed stderr does nothing.
void guard_standard_streams();

// Whether all output has reached stdout, and if not, why. A broken pipe has no error message, because its reader has
// read enough.
struct StdoutState {
  bool whole = true;
  std::string complaint{};  // one line; empty: nothing to report
};
// Flushes stdout. `error`: the errno of a write that failed before; 0: none is known.
StdoutState finish_stdout(int error = 0);

}  // namespace texcast::cli
