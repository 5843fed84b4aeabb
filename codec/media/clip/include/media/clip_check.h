// clip_check.h — every frame of a texture file, read and unpacked: which are damaged, and how. Others are given
// texcast/file_check.h.
#pragma once

#include <cstdint>
#include <functional>

#include "media/clip_reader.h"
#include "texcast/file_check.h"

namespace texcast::media {

using ClipCheck = FileCheck;
using texcast::DamagedFrames;

// Reads `clip` from where it is, which is its start. `go_on`, where there is one, is called after each frame, and
// between the images of a frame, with the number of frames so far; false stops. Allocates no blocks before a frame that
// can hold them. Throws what reading throws.
ClipCheck check_clip(ClipReader& clip, const std::function<bool(int64_t frames)>& go_on);

}  // namespace texcast::media
