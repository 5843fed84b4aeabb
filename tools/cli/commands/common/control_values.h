// control_values.h — parses values of control commands, which are written as on the command line.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/values.h"
#include "texcast/error.h"
#include "texcast/frame_times.h"

namespace texcast::cli {

// Parses with one of values.h's parsers. Throws its error message as Error{usage}.
template <typename Value>
Value parsed_value(Result<Value> (*parse)(std::string_view), const std::string& text) {
  const Result<Value> value = parse(text);
  if (!value) throw Error(ErrorKind::usage, value.error().message);
  return *value;
}

// "90", "1:30"; relative to the current position: "+5", "-5".
struct SeekTarget {
  nanoseconds time{};
  bool relative = false;
};
inline SeekTarget parse_seek(const std::string& text) {
  const bool back = text.starts_with('-');
  const bool relative = back || text.starts_with('+');
  const nanoseconds time = parsed_value(parse_time, text.substr(relative ? 1 : 0));
  return {.time = back ? -time : time, .relative = relative};
}

}  // namespace texcast::cli
