#include "texcast/error.h"

namespace texcast {

Error::Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
Error::~Error() =
    default;  // defined here, so that the class has a single type_info in all programs that link the library

}  // namespace texcast
