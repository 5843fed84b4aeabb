#include "base/log.h"

#include "base/mutex.h"

namespace texcast {
namespace {

struct Log {
  Mutex mutex;
  LogFunction function{};
  LogLevel lowest = LogLevel::info;
};
Log& the_log() {
  static Log* const log = new Log;  // never destroyed, as threads may end after the program's statics
  return *log;
}

}  // namespace

void set_log_function(LogFunction function, LogLevel lowest) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  log.function = std::move(function);
  log.lowest = lowest;
}

void log_line(LogLevel level, std::string_view line) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (log.function && level >= log.lowest) log.function(level, line);
}

}  // namespace texcast
