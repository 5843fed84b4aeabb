// reader_gone.h — the error of writing to a pipe whose reader has closed it. The reader has what it wants, so programs
// end quietly then.
#pragma once

#include "texcast/error.h"

namespace texcast {

class ReaderGone final : public Error {
 public:
  using Error::Error;
  explicit ReaderGone(const Error& error) : Error(error) {}
};

}  // namespace texcast
