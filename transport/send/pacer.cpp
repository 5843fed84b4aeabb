#include "transport/pacer.h"

#include <algorithm>
#include <cmath>

namespace texcast::transport {

namespace {

nanoseconds as_time(double seconds) { return nanoseconds(static_cast<int64_t>(std::min(seconds, 3600.0) * 1e9)); }

}  // namespace

nanoseconds Pacer::duration(size_t frame_bytes) const {
  const double seconds = settings_.fps > 0 ? std::clamp(settings_.spread, 0.0, 1.0) / settings_.fps : 0;
  return std::max(as_time(seconds), line_time(frame_bytes));
}

nanoseconds Pacer::line_time(size_t bytes) const {
  if (!settings_.rate_bits_per_s || *settings_.rate_bits_per_s <= 0) return nanoseconds(0);
  return as_time(static_cast<double>(bytes) * 8 / *settings_.rate_bits_per_s);
}

size_t Pacer::bytes_due(size_t frame_bytes, nanoseconds since_start) const {
  const nanoseconds whole = duration(frame_bytes);
  const nanoseconds tick = std::max(settings_.tick, nanoseconds(1));
  // A tick's batch is sent at its beginning.
  const nanoseconds reached = (std::max(since_start, nanoseconds(0)) / tick + 1) * tick;
  if (reached >= whole) return frame_bytes;
  const double part = static_cast<double>(reached.count()) / static_cast<double>(whole.count());
  size_t due = static_cast<size_t>(std::ceil(static_cast<double>(frame_bytes) * part));
  if (settings_.least_a_tick > 0) {
    const double least = static_cast<double>(settings_.least_a_tick) * static_cast<double>(reached / tick);
    const double seconds = std::chrono::duration<double>(reached).count();
    const double most = settings_.rate_bits_per_s ? *settings_.rate_bits_per_s / 8 * seconds : least;
    due = std::max(due, static_cast<size_t>(std::min(least, std::min(most, static_cast<double>(frame_bytes)))));
  }
  return std::clamp<size_t>(due, 1, frame_bytes);
}

}  // namespace texcast::transport
