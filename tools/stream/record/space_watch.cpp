#include "stream/space_watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

namespace texcast::stream {
namespace {

constexpr nanoseconds kEvery = std::chrono::seconds(1);
constexpr double kWarnBelow_s = 60, kAgainAbove_s = 120;
constexpr double kWeightOfLast = 0.2;  // of the latest second in the rate: about five seconds count
constexpr int kLooksBefore = 3;        // the first second includes headers and reserved space

}  // namespace

std::optional<std::string> SpaceWatch::look(SteadyTime now, int64_t bytes, std::optional<int64_t> free) {
  next_ = now + kEvery;
  if (last_ && now > *last_) {
    const double rate = static_cast<double>(bytes - last_bytes_) / in_seconds(now - *last_);
    bytes_per_s_ = looks_ <= 1 ? rate : (1 - kWeightOfLast) * bytes_per_s_ + kWeightOfLast * rate;
  }
  last_ = now;
  last_bytes_ = bytes;
  if (++looks_ < kLooksBefore || bytes_per_s_ <= 0) return std::nullopt;
  const bool limit_first = most_bytes_ > 0 && (!free || most_bytes_ - bytes < *free);
  if (!limit_first && !free) return std::nullopt;
  const int64_t left = std::max<int64_t>(0, limit_first ? most_bytes_ - bytes : *free);
  const double seconds = static_cast<double>(left) / bytes_per_s_;
  if (seconds > kAgainAbove_s) warned_ = false;
  if (seconds >= kWarnBelow_s || warned_) return std::nullopt;
  warned_ = true;
  return fmt::format("the recording has room for about {:.0f} s: {:.0f} MB are left {}, at {:.1f} MB/s", seconds,
                     static_cast<double>(left) / 1e6, limit_first ? "until --max-disk" : "on its disk",
                     bytes_per_s_ / 1e6);
}

}  // namespace texcast::stream
