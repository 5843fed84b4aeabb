// clip_track.h — opening a recording, and which of its tracks is the picture.
//
// Thread-safe on distinct inputs.
#pragma once

#include <string>
#include <vector>

#include "media/ffmpeg.h"

namespace texcast::media {

// A metadata key of .mov files, with the value "full" or "limited": their colour tag has no place for the range.
inline constexpr const char* kRangeKey = "com.texcast.color_range";

// Any media file, with its header read and nothing more. Null when it cannot be opened: `code` is FFmpeg's error then,
// to be given to av_reason().
InputPtr open_clip_input(const std::string& path, int& code);

// Indices of the picture's tracks: the one with textures of a format we know, or the three that hold the planes of one
// picture; empty when there is none. The streams need no probing (avformat_find_stream_info), which would decode
// frames: the container's header says all that is needed.
std::vector<int> texture_tracks(const AVFormatContext& input);
// Whether the file opens and has such a track. False for whatever cannot be read.
bool is_muxed_clip(const std::string& path);
// All video tracks, for messages: "h264 (avc1), …" or "no video".
std::string video_tracks_text(const AVFormatContext& input);

}  // namespace texcast::media
