// journal_tracks.h — FFmpeg's description of a track into what the journal stores of it, and back.
//
// Thread-safe: functions only.
#pragma once

#include "container/journal.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// Of a track of an output, once its header is written. Tracks that can_journal() refuses are misuse.
container::JournalTrack journal_track(const AVStream& stream);
// False where the codec's private data is too long for a journal.
bool can_journal(const AVCodecParameters& parameters);

// The other way, into parameters that were just allocated. False when this FFmpeg does not know the codec, or when the
// journal's values make no sense; `parameters` is then of no use.
bool fill_parameters(AVCodecParameters& parameters, const container::JournalTrack& track);

}  // namespace texcast::media
