// log.h — one line of text to stderr for a person. Thread-safe. stdout stays free for results and --json.
#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace texcast {

enum class LogLevel { debug, info, warning, error };

void set_log_level(LogLevel lowest_shown);
void log_line(LogLevel level, std::string_view line);

template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace texcast
