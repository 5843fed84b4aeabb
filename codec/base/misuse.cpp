#include "base/misuse.h"

#include <string>

#include "texcast/error.h"

namespace texcast {

void misused(const char* function, const char* what) {
  throw Error(ErrorKind::misuse, std::string(function) + ": " + what);
}

}  // namespace texcast
