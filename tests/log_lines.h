// log_lines.h — counts the lines of the log during its lifetime.
#pragma once

#include <atomic>
#include <memory>

#include "texcast/log.h"

namespace texcast::test {

class LogLines {
 public:
  LogLines() {
    set_log_function([count = count_](LogLevel, std::string_view) { ++*count; });
  }
  ~LogLines() { set_log_function({}); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;
  int count() const { return *count_; }

 private:
  std::shared_ptr<std::atomic<int>> count_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace texcast::test
