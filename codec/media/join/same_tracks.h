// same_tracks.h — whether files have the same tracks, of the same formats and clocks.
#pragma once

#include "media/ffmpeg.h"

namespace texcast::media {

bool same_tracks(const AVFormatContext& one, const AVFormatContext& other);

}  // namespace texcast::media
