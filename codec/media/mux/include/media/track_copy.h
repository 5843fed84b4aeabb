// track_copy.h — gives a file the tracks of another one, whose packets are copied as they are.
#pragma once

#include <optional>

#include "media/ffmpeg.h"
#include "media/muxed_output.h"

namespace texcast::media {

// Adds a track like `stream` of `input` to `output`, before its begin(). Returns its number there; nothing for tracks
// that hold neither textures nor sound, and for textures of an impossible size.
std::optional<int> copy_track(const AVFormatContext& input, const AVStream& stream, MuxedOutput& output);
// A packet of it, for that track. The bytes are the packet's.
TrackPacket track_packet(const AVPacket& packet, int track, AVRational time_base);

}  // namespace texcast::media
