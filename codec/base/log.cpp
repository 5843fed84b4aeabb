#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace texcast {
namespace {

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = spdlog::stderr_color_mt("texcast");
    made->set_pattern("texcast: %^%v%$");
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

void set_log_level(LogLevel lowest_shown) { logger().set_level(spdlog_level(lowest_shown)); }

void log_line(LogLevel level, std::string_view line) {
  logger().log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace texcast
