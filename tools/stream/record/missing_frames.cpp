#include "stream/missing_frames.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace texcast::stream {
namespace {

// What has piled up in the socket during a standstill comes in one go after it. To write that takes as long as the
// standstill was at most, or else the disk is too slow all the same.
constexpr nanoseconds kLongestAftermath = std::chrono::seconds(10);

}  // namespace

std::string words(const MissingFrames& m) {
  std::vector<std::string> causes;
  const bool several = (m.disk > 0) + (m.processor > 0) + (m.standstill > 0) > 1;
  const auto add = [&](uint64_t frames, const std::string& cause) {
    if (frames > 0) causes.push_back(several ? fmt::format("{} because {}", frames, cause) : cause);
  };
  add(m.disk, "the disk was too slow");
  add(m.processor, "the processor was too slow for compressing them");
  add(m.standstill, fmt::format("the program did not run for {:.1f} s", in_seconds(m.stood_still)));
  std::string text;
  for (const std::string& cause : causes) text += (text.empty() ? "" : ", ") + cause;
  return fmt::format("{} missing ({:.1f} s): {}",
                     m.total() == 1 ? "1 frame is" : fmt::format("{} frames are", m.total()), in_seconds(m.time), text);
}

void MissingCause::queue_empty(nanoseconds disk, nanoseconds work) {
  disk_ = disk;
  work_ = work;
}

MissingFrames::Cause MissingCause::cause(SteadyTime now, nanoseconds disk, nanoseconds work, nanoseconds writing_for,
                                         const Standstills::Last& standstill) const {
  using Cause = MissingFrames::Cause;
  if (standstill.duration > nanoseconds{} && now - standstill.end < std::min(standstill.duration, kLongestAftermath))
    return Cause::standstill;
  const nanoseconds waited = disk - disk_, worked = work - work_;
  // A write that takes longer than all before it together waits: compressing a frame takes always as long.
  if (writing_for > waited + worked) return Cause::disk;
  return waited >= worked ? Cause::disk : Cause::processor;
}

}  // namespace texcast::stream
