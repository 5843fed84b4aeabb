// clip_check.h — reads and decompresses every frame of a texture file, and reports damaged ones. The public interface
// is texcast/file_check.h.
#pragma once

#include <cstdint>
#include <functional>

#include "media/clip_reader.h"
#include "texcast/file_check.h"

namespace texcast::media {

using ClipCheck = FileCheck;
using texcast::DamagedFrames;

// Reads `clip` from its present position, which must be its start. `go_on`, if there is one, is called after each frame
// and between the images of a frame, with the number of frames so far; false stops. Allocates no blocks before a frame
// that can hold them. Throws as reading does.
ClipCheck check_clip(ClipReader& clip, const std::function<bool(int64_t frames)>& go_on);

}  // namespace texcast::media
