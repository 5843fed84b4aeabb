// error.h — Error, the exception of texcast. Its message is one line for a person: what was requested, what happened,
// and what to do.
#pragma once

#include <stdexcept>
#include <string>

#include "texcast/export.h"

namespace texcast {

// Values are the exit codes of the command line.
enum class ErrorKind {
  failed = 1,  // the system could not do it: the disk is full, there is no memory
  usage = 2,   // settings that no version of texcast could carry out, such as a quality that the format does not have
  no_device = 3,   // no usable OpenCL device, or the device was lost
  no_display = 4,  // no screen to show anything on
  input = 5,       // a file that cannot be opened or has other contents
  network = 6,     // an address that does not resolve, or a port that is in use
  corrupt = 7,     // bytes that are inconsistent
  misuse = 8,  // a call that its header forbids, which is a bug of the caller; it had no effect, and the object remains
               // usable
};

// The only exception that texcast throws, apart from std::bad_alloc.
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
