// clip_track.h — opening a recording: which of its tracks is the picture, and what the container tells about it.
#pragma once

#include <string>
#include <vector>

#include "media/ffmpeg.h"

namespace texcast::media {

// Of a .mov's metadata: "full" or "limited", for which its colour tag has no place.
inline constexpr const char* kRangeKey = "com.texcast.color_range";

// Null when it cannot be opened; `code` is then FFmpeg's.
InputPtr open_clip_input(const std::string& path, int& code);

// The track with textures of a format we know, or the three that hold the planes of one picture; none when there is no
// such track. No probing of streams: the container's header has all there is to know, and probing would decode frames.
std::vector<int> texture_tracks(const AVFormatContext& input);
// A file that opens and has such a track.
bool is_muxed_clip(const std::string& path);
std::string video_tracks_text(const AVFormatContext& input);  // for messages: "h264 (avc1), …"

}  // namespace texcast::media
