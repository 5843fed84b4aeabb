#include "stream/passed_frames.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace texcast::stream {
namespace {

constexpr size_t kWholeCounts = 2, kNearlyCounts = 1;

}  // namespace

void PassedFrames::add(Why why) {
  switch (why) {
    case Why::not_whole: ++not_whole; break;
    case Why::cannot_hold: ++cannot_hold; break;
    case Why::too_many_files: ++too_many_files; break;
  }
}

PassedFrames& PassedFrames::operator+=(const PassedFrames& other) {
  not_whole += other.not_whole;
  cannot_hold += other.cannot_hold;
  too_many_files += other.too_many_files;
  return *this;
}

std::string words(const PassedFrames& passed) {
  const std::pair<uint64_t, const char*> causes[] = {
      {passed.cannot_hold, "in a format or size that the file cannot hold"},
      {passed.too_many_files, "beyond --max-files"},
      {passed.not_whole, "of streams with too few complete frames"}};
  std::string text;
  for (const auto& [frames, cause] : causes)
    if (frames > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", frames, cause);
  return fmt::format("{}: {}", passed.total() == 1 ? "1 frame" : fmt::format("{} frames", passed.total()), text);
}

Wholeness wholeness(size_t missing, size_t blocks) {
  if (missing == 0) return Wholeness::whole;
  return 4 * missing <= blocks ? Wholeness::nearly : Wholeness::hardly;
}

NextFile judge(const WaitingRun& run, size_t files) {
  const size_t needed = std::min(files + 1, kMostNeeded);
  const size_t have = kWholeCounts * run.whole + kNearlyCounts * run.nearly;
  if (have >= kWholeCounts * (run.is_last ? 1 : needed)) return NextFile::begin;
  return run.is_cut || run.is_last || run.frames >= kMostHeld ? NextFile::pass_over : NextFile::wait;
}

}  // namespace texcast::stream
