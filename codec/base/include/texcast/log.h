// log.h — what texcast has to say to a person beside results and errors: that kernels are compiled, that nobody
// listens.
//
// A program that links the library hears nothing unless it asks to:
//     texcast::set_log_function([](texcast::LogLevel, std::string_view line) { std::cerr << line << '\n'; });
#pragma once

#include <functional>
#include <string_view>

#include "texcast/export.h"

namespace texcast {

enum class LogLevel {
  debug,    // for who works on texcast
  info,     // what happens
  warning,  // what may be wrong
  error,    // what has gone wrong where no call was there to throw it
};

// One line, without an end of line, valid during the call. Called on any thread, by one at a time; must not throw and
// must not call texcast.
using LogFunction = std::function<void(LogLevel level, std::string_view line)>;

// From now on lines of `lowest` and above go to `function`; an empty one: nowhere, as at the start. The one before is
// not called any more when this returns. Thread-safe.
TEXCAST_API void set_log_function(LogFunction function, LogLevel lowest = LogLevel::info);

}  // namespace texcast
