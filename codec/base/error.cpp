#include "texcast/error.h"

namespace texcast {

Error::Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
Error::~Error() = default;  // here, so that the class has one type_info in all that link the library

}  // namespace texcast
