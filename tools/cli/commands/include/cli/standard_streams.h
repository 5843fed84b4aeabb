// standard_streams.h — stdin, stdout and stderr as a shell hands them over: closed, full, or a pipe that nobody reads.
#pragma once

#include <string>

namespace texcast::cli {

// Once, before any file is opened. A standard descriptor that is closed is the first that a file would get, and what is
// said on stdout would be written into that file; instead, writing to a closed stdout fails, and what is read from a
// closed stdin or said on a closed stderr is nothing.
void guard_standard_streams();

// What has been written to stdout has got there, or why not, in words; empty: it has. "Broken pipe" is not told to
// anybody: whoever read has read enough.
struct StdoutState {
  bool whole = true;
  std::string complaint{};  // one line; also empty where it is not whole, and nobody needs to hear
};
// `error`: an errno, of a write that failed before; 0: none is known of.
StdoutState finish_stdout(int error = 0);

}  // namespace texcast::cli
