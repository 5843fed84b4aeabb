// error.h — Error: what the outside world did to us, thrown at the edge and caught in main, which turns its kind
// into the program's exit code. The message is one line that says what was asked, what came back, what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace texcast {

// Values are the exit codes of the command line.
enum class ErrorKind {
  failed = 1,
  usage = 2,
  no_device = 3,
  no_display = 4,
  input = 5,
  network = 6,
  corrupt = 7,
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace texcast
