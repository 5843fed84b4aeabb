// clip_track.h — opens a recording, and finds the tracks of its picture.
//
// Thread-safe on distinct inputs.
#pragma once

#include <string>
#include <vector>

#include "media/ffmpeg.h"

namespace texcast::media {

// A metadata key of .mov files, with the value "full" or "limited", as their colour tag cannot hold the range.
inline constexpr const char* kRangeKey = "com.texcast.color_range";

// How the packets of a .mov are read whose tracks begin later than its clock, or end inside a packet.
enum class EditLists : uint8_t {
  applied,    // what a player shows: FFmpeg shortens packets at the ends
  as_offset,  // every packet with its own duration; negative times are not played
};

// Opens any media file and reads only its header. Null if it cannot be opened: `code` is FFmpeg's error then, for
// av_reason().
InputPtr open_clip_input(const std::string& path, int& code, EditLists edits = EditLists::applied);

// The first track of pictures that is not the cover of an album; null if there is none.
AVStream* picture_of(const AVFormatContext& input);
// The track by which FFmpeg must seek (av_seek_frame) so that the packets of the track `sound` are found.
const AVStream& seek_guide(const AVFormatContext& input, const AVStream& sound);

// Indices of the picture's tracks: the one with textures of a known format, or the three that hold the planes of one
// picture; empty if there are none. The streams need no probing (avformat_find_stream_info), which would decode frames:
// the container's header is sufficient.
std::vector<int> texture_tracks(const AVFormatContext& input);
// Whether the file opens and has such a track. False for unreadable files.
bool is_muxed_clip(const std::string& path);
// All video tracks, for messages: "h264 (avc1), …" or "no video".
std::string video_tracks_text(const AVFormatContext& input);

}  // namespace texcast::media
