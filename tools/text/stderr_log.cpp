#include "text/stderr_log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "texcast/log.h"

namespace texcast {
namespace {

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

void log_to_stderr() {
  auto logger = spdlog::stderr_color_mt("texcast");
  logger->set_pattern("texcast: %^%v%$");
  set_log_function([logger](LogLevel level, std::string_view line) {
    logger->log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
  });
}

}  // namespace texcast
