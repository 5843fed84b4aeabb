#include "text/stderr_log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <string>

#include "base/utf8.h"
#include "texcast/log.h"
#include "text/verbosity.h"

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

// Progress reads it on the thread that set it, before there are other threads.
Verbosity chosen = Verbosity::normal;

LogLevel lowest(Verbosity verbosity) {
  switch (verbosity) {
    case Verbosity::quiet: return LogLevel::warning;
    case Verbosity::normal: return LogLevel::info;
    case Verbosity::verbose: return LogLevel::debug;
  }
  return LogLevel::info;
}

}  // namespace

void log_to_stderr() {
  auto logger = spdlog::get("texcast");
  if (!logger) logger = spdlog::stderr_color_mt("texcast");
  logger->set_pattern("texcast: %^%v%$");
  logger->set_level(spdlog::level::debug);  // set_log_function() below filters by level
  set_log_function(
      [logger](LogLevel level, std::string_view line) {
        const std::string text = printable_text(line);  // lines contain file names and names from the network
        logger->log(spdlog_level(level), spdlog::string_view_t(text.data(), text.size()));
      },
      lowest(chosen));
}

void set_verbosity(Verbosity verbosity) {
  if (verbosity == chosen) return;
  chosen = verbosity;
  log_to_stderr();
}

Verbosity verbosity() { return chosen; }

}  // namespace texcast
