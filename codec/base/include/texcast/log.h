// log.h — messages for a person besides results and errors, such as that kernels are compiled or that nobody listens.
//
// A program that links the library gets none unless it asks for them:
//     texcast::set_log_function([](texcast::LogLevel, std::string_view line) { std::cerr << line << '\n'; });
#pragma once

#include <functional>
#include <string_view>

#include "texcast/export.h"

namespace texcast {

enum class LogLevel {
  debug,    // for developers of texcast
  info,     // what happens
  warning,  // what may be wrong
  error,    // a failure that no call was there to throw
};

// `line` has no end of line and is valid during the call. It is called on any thread, but never concurrently; it must
// not throw and must not call texcast.
using LogFunction = std::function<void(LogLevel level, std::string_view line)>;

// Sends lines of `lowest` and above to `function` from now on; an empty function discards all lines, which is the
// default. The previous function is not called any more when this returns. Thread-safe.
TEXCAST_API void set_log_function(LogFunction function, LogLevel lowest = LogLevel::info);

}  // namespace texcast
