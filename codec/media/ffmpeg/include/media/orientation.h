// orientation.h — the orientation of pictures as files store it.
//
// Thread-safe: functions only.
#pragma once

#include <optional>

#include "media/ffmpeg.h"
#include "texcast/shape.h"

namespace texcast::media {

// From the track's display matrix (phones, editors); upright if there is none. Angles are rounded to multiples of 90
// degrees.
Orientation orientation_of(const AVStream& track);
// From the frame itself: its display matrix, or the Orientation of EXIF. Nothing: that of the track applies.
std::optional<Orientation> orientation_of(const AVFrame& frame);
// Whether the matrix rotates by an angle that is not a multiple of 90 degrees, for a warning.
bool is_tilted(const AVStream& track);

}  // namespace texcast::media
