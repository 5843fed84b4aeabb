#include "cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/errno_text.h"

namespace texcast::cli {

void guard_standard_streams() {
  // Opened in the opposite mode: reading from a write-only descriptor fails with EBADF, as from a closed one.
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      static_cast<void>(open("/dev/null", kModes[descriptor]));  // gets the lowest free number, which is this one
}

StdoutState finish_stdout(int error) {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0 && error == 0) error = errno;
  if (error == 0 && !failed_before) return {};
  if (error == EPIPE) return {.whole = false};
  return {.whole = false,
          .complaint =
              std::string("cannot write to stdout") + (error == 0 ? "" : ": ") + (error == 0 ? "" : errno_text(error))};
}

}  // namespace texcast::cli
