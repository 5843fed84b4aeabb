// errno_text.h — the system's text for an errno. Thread-safe, unlike strerror().
#pragma once

#include <string>
#include <system_error>

namespace texcast {

inline std::string errno_text(int error) { return std::generic_category().message(error); }

}  // namespace texcast
