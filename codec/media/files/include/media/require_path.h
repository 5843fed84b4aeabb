// require_path.h — checks the paths that are passed to public functions. Thread-safe.
#pragma once

#include <string>

#include "base/misuse.h"

namespace texcast::media {

// Not empty, and without a zero byte, at which the system would end it.
inline bool is_path(const std::string& path) { return !path.empty() && path.find('\0') == std::string::npos; }

// Throws Error{misuse} in the name of `function` (__func__) unless is_path().
inline void require_path(const std::string& path, const char* function) {
  if (!is_path(path)) misused(function, "a path must not be empty or contain a zero byte");
}

}  // namespace texcast::media
