// clip_check.h — every frame of a texture file, read and unpacked: which are damaged, and how.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "media/clip_reader.h"
#include "texcast/frame_times.h"

namespace texcast::media {

struct DamagedFrames {
  int64_t first = 0;  // number in the file, from 0
  int64_t count = 1;  // more than one where the file ends before them
  nanoseconds pts{};  // of the first; by the frame rate where the file does not tell
  std::string reason;
};

struct ClipCheck {
  int64_t frames = 0;  // that the file has or should have
  int64_t damaged = 0;
  std::vector<DamagedFrames> damage;  // in the order of the file, kMostListed of them at most
  static constexpr size_t kMostListed = 1000;
  bool stopped = false;  // before the end
};

// Reads `clip` from where it is, which is its start. `go_on` is called after each frame with the number of frames so
// far; false stops. Allocates no blocks before a frame that can hold them. Throws what reading throws.
ClipCheck check_clip(ClipReader& clip, const std::function<bool(int64_t frames)>& go_on);

}  // namespace texcast::media
