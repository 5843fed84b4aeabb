// line_limit.h — limits the log lines that packets from anybody can cause: a few are written at once, then one a
// minute.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "texcast/frame_times.h"

namespace texcast {

// Not thread-safe. Time is an argument.
class LineLimit {
 public:
  static constexpr uint64_t kAtOnce = 5;
  static constexpr nanoseconds kEvery = std::chrono::minutes(1);

  // Returns the line to write, with the number of similar lines that were left out before it. Returns nothing if this
  // line is left out as well.
  std::optional<std::string> take(std::string line, SteadyTime now) {
    if (told_ >= kAtOnce && now - last_ < kEvery) {
      ++left_out_;
      return std::nullopt;
    }
    ++told_;
    last_ = now;
    if (const uint64_t left_out = std::exchange(left_out_, 0))
      line += fmt::format(" ({} more like this came since the last line)", left_out);
    return line;
  }

 private:
  uint64_t told_ = 0, left_out_ = 0;
  SteadyTime last_{};
};

}  // namespace texcast
