// errno_text.h — what the system says for an error of its own. Thread-safe, which strerror() is not.
#pragma once

#include <string>
#include <system_error>

namespace texcast {

inline std::string errno_text(int error) { return std::generic_category().message(error); }

}  // namespace texcast
