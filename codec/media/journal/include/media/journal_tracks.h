// journal_tracks.h — converts FFmpeg's description of a track to the journal's, and back.
//
// Thread-safe: functions only.
#pragma once

#include "container/journal.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// For a track of an output whose header has been written. Tracks that can_journal() refuses are misuse.
container::JournalTrack journal_track(const AVStream& stream);
// False if the codec's private data are too long for a journal.
bool can_journal(const AVCodecParameters& parameters);

// The reverse, into newly allocated parameters. False if this FFmpeg does not know the codec, or if the journal's
// values are invalid; `parameters` must not be used then.
bool fill_parameters(AVCodecParameters& parameters, const container::JournalTrack& track);

}  // namespace texcast::media
