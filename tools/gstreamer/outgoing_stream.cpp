#include "outgoing_stream.h"

#include <algorithm>

namespace texcast::gstreamer {
namespace {

constexpr nanoseconds kSlice = std::chrono::milliseconds(150);       // how soon an interruption is noticed
constexpr nanoseconds kAnswerTime = std::chrono::milliseconds(100);  // in which receivers request lost packets

}  // namespace

bool finish(OutgoingStream& stream, nanoseconds limit) {
  const SteadyTime deadline = steady_now() + limit;
  const auto finish_slice = [&stream](nanoseconds slice) {
    return stream.with([slice](StreamSender& sender) { return sender.finish(slice); });
  };
  while (!stream.is_interrupted()) {
    const nanoseconds left = deadline - steady_now();
    const std::optional<bool> finished = finish_slice(std::clamp(left, nanoseconds(0), kSlice));
    if (!finished) return false;
    if (*finished) return finish_slice(kAnswerTime).value_or(false);
    if (left <= nanoseconds(0)) return false;
  }
  return false;
}

}  // namespace texcast::gstreamer
