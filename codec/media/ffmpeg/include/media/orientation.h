// orientation.h — which way up pictures are meant to be seen, as files say it.
//
// Thread-safe: functions only.
#pragma once

#include <optional>

#include "media/ffmpeg.h"
#include "texcast/shape.h"

namespace texcast::media {

// As the track's display matrix says (phones, editors); upright without one. Angles between are rounded to a quarter.
Orientation orientation_of(const AVStream& track);
// As the frame itself says: a display matrix that came with it, or the Orientation of EXIF. Nothing: as its track says.
std::optional<Orientation> orientation_of(const AVFrame& frame);
// Whether the matrix turns by something else than quarters, for a warning.
bool is_tilted(const AVStream& track);

}  // namespace texcast::media
