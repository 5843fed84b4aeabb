#include "text/status_line.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace texcast {

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void StatusLine::show(const std::string& text) {
  if (!terminal_) return;
  fmt::print(stderr, "\r{:.78}\033[K", text);
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace texcast
