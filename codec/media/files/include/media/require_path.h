// require_path.h — what public functions ask of a path. Thread-safe.
#pragma once

#include <string>

#include "base/misuse.h"

namespace texcast::media {

// Not empty, and the system would not cut it off at a zero.
inline bool is_path(const std::string& path) { return !path.empty() && path.find('\0') == std::string::npos; }

// Else Error{misuse} in the name of `function` (__func__).
inline void require_path(const std::string& path, const char* function) {
  if (!is_path(path)) misused(function, "a path is not empty and has no zero in it");
}

}  // namespace texcast::media
