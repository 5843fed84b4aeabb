#include "stream/missing_frames.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace texcast::stream {
namespace {

// Writing what piled up during a standstill takes at most as long as the standstill; if it takes longer, the disk is
// too slow anyway.
constexpr nanoseconds kLongestAftermath = std::chrono::seconds(10);
constexpr int kBurst = 4;  // times the stream's rate

}  // namespace

void MissingFrames::add(Cause cause, uint64_t frames) {
  switch (cause) {
    case Cause::disk: disk += frames; break;
    case Cause::processor: processor += frames; break;
    case Cause::compiler: compiler += frames; break;
    case Cause::burst: burst += frames; break;
    case Cause::standstill: standstill += frames; break;
  }
}

MissingFrames& MissingFrames::operator+=(const MissingFrames& other) {
  disk += other.disk;
  processor += other.processor;
  compiler += other.compiler;
  burst += other.burst;
  standstill += other.standstill;
  time += other.time;
  is_pipe = is_pipe || other.is_pipe;
  stood_still = std::max(stood_still, other.stood_still);
  return *this;
}

std::string words(const MissingFrames& m) {
  std::vector<std::string> causes;
  const bool several = (m.disk > 0) + (m.processor > 0) + (m.compiler > 0) + (m.burst > 0) + (m.standstill > 0) > 1;
  const auto add = [&](uint64_t frames, const std::string& cause) {
    if (frames > 0) causes.push_back(several ? fmt::format("{} because {}", frames, cause) : cause);
  };
  add(m.disk, m.is_pipe ? "the reader of the pipe was too slow" : "the disk was too slow");
  add(m.processor, fmt::format("the CPU was too slow to {} them", m.is_pipe ? "decode" : "compress"));
  add(m.compiler, "the kernel for Hap Q was still being compiled, and the disk had no room to spool them");
  add(m.burst, fmt::format("they arrived at more than {} times the frame rate", kBurst));
  add(m.standstill, fmt::format("the program was suspended for {:.1f} s", in_seconds(m.stood_still)));
  std::string text;
  for (const std::string& cause : causes) text += (text.empty() ? "" : ", ") + cause;
  return fmt::format("{} missing ({:.1f} s): {}",
                     m.total() == 1 ? "1 frame is" : fmt::format("{} frames are", m.total()), in_seconds(m.time), text);
}

bool is_aftermath(const Standstills::Last& standstill, SteadyTime now) {
  return standstill.duration > nanoseconds{} && now - standstill.end < std::min(standstill.duration, kLongestAftermath);
}

bool is_burst(size_t frames, nanoseconds span, double fps) {
  return kBurst * span < static_cast<int64_t>(frames) * frame_period(fps);
}

WritingTime spent_between(const media::RecorderProgress& before, const media::RecorderProgress& after,
                          nanoseconds ready) {
  const nanoseconds waited = std::max(after.disk - before.disk, nanoseconds{});
  const nanoseconds not_disk = std::min(waited, ready);
  return {.disk = waited - not_disk,
          .work = after.work - before.work + not_disk,
          .compiler = after.compiler - before.compiler};
}

void MissingCause::add(const WritingTime& spent) {
  spent_.disk += spent.disk;
  spent_.work += spent.work;
  spent_.compiler += spent.compiler;
}

MissingFrames::Cause MissingCause::cause() const {
  using Cause = MissingFrames::Cause;
  if (spent_.compiler > spent_.disk && spent_.compiler > spent_.work) return Cause::compiler;
  return spent_.disk > spent_.work ? Cause::disk : Cause::processor;
}

}  // namespace texcast::stream
