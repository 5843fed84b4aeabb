#include "play/clock_watch.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>

#include "base/log.h"
#include "clock/examine_clock.h"

namespace texcast::cli {
namespace {

constexpr auto kEvery = std::chrono::seconds(10);

}  // namespace

ClockWatch::ClockWatch(bool is_needed) {
  if (is_needed) thread_.emplace([this](const std::stop_token& stop) { watch(stop); });
}

void ClockWatch::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    set(clock::examine_clock());
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kEvery, [] { return false; });
  }
}

void ClockWatch::set(clock::ClockQuality quality) {
  const std::lock_guard lock(mutex_);
  const bool was_synchronised = quality_ && quality_->synchronised();
  const bool is_news = !quality_ || quality.synchronised() != was_synchronised;
  quality_ = std::move(quality);
  if (!is_news) return;
  const std::string text = clock::text_of(*quality_);
  if (quality_->synchronised()) return log_info("clock: {}", text);
  complaint_ = text;
  log_warning("{}: frames are in step only with players on this machine; {}", text, clock::mend_of(*quality_));
}

clock::ClockQuality ClockWatch::quality() const {
  {
    const std::lock_guard lock(mutex_);
    if (quality_) return *quality_;
  }
  return {.kernel = clock::kernel_clock()};
}

std::optional<std::string> ClockWatch::complaint() {
  const std::lock_guard lock(mutex_);
  return std::exchange(complaint_, std::nullopt);
}

}  // namespace texcast::cli
