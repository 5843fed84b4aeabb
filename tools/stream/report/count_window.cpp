#include "stream/count_window.h"

#include <algorithm>
#include <chrono>

namespace texcast::stream {
namespace {

constexpr nanoseconds kWindow = std::chrono::seconds(1);
constexpr nanoseconds kApart = std::chrono::milliseconds(200);
constexpr nanoseconds kForgotten = std::chrono::seconds(2);

uint64_t value_of(const Counts& counts, const std::string& name, uint64_t none) {
  const auto found = std::ranges::find(counts, name, &Count::name);
  return found != counts.end() ? found->value : none;
}

}  // namespace

Counts CountWindow::last_second(const Counts& so_far, SteadyTime now) {
  if (!looks_.empty() && now - looks_.back().at > kForgotten) looks_.clear();
  if (looks_.empty() || now - looks_.back().at >= kApart) looks_.push_back({now, so_far});
  while (looks_.size() > 1 && looks_[1].at <= now - kWindow) looks_.pop_front();
  Counts risen = so_far;
  for (Count& count : risen) {
    if (count.name.ends_with("_now")) continue;
    // A count that is new, or smaller than it was, belongs to another stream.
    const uint64_t before = value_of(looks_.front().counts, count.name, 0);
    if (before <= count.value) count.value -= before;
  }
  return risen;
}

}  // namespace texcast::stream
