// track_copy.h — gives a file the tracks of another one, whose packets are copied as they are.
#pragma once

#include <optional>

#include "media/ffmpeg.h"
#include "media/muxed_output.h"

namespace texcast::media {

// Adds a track like `stream` of `input` to `output`, before its begin(). Returns its number there; nothing for tracks
// that hold neither textures nor sound, and for textures of an impossible size.
std::optional<int> copy_track(const AVFormatContext& input, const AVStream& stream, MuxedOutput& output);

}  // namespace texcast::media
