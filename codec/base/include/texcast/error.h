// error.h — Error: what a call met, thrown with one line for a person: what was asked, what came back, what to do.
#pragma once

#include <stdexcept>
#include <string>

#include "texcast/export.h"

namespace texcast {

// Values are the exit codes of the command line.
enum class ErrorKind {
  failed = 1,      // the system could not do it: a disk that is full, no memory
  usage = 2,       // settings that no version of texcast could carry out: a quality that the format does not have
  no_device = 3,   // no usable OpenCL device, or it was lost
  no_display = 4,  // no screen to show anything on
  input = 5,       // a file that cannot be opened, or holds something else
  network = 6,     // an address that does not resolve, a port that is taken
  corrupt = 7,     // bytes that contradict themselves
  misuse = 8,      // a call that its header forbids: a bug of the caller's. Nothing has happened; the object lives on
};

// The one type that texcast throws, beside std::bad_alloc.
class TEXCAST_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace texcast
