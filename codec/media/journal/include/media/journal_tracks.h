// journal_tracks.h — converts FFmpeg's description of a track to the journal's, and back.
//
// Thread-safe: functions only.
#pragma once

#include "container/journal.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// The journal's entry for a track of an output whose header is written. The codec's private data must have at most
// container::kMaxJournalExtradata bytes.
container::JournalTrack journal_track(const AVStream& stream);

// The reverse, into newly allocated parameters. False if this FFmpeg does not know the codec, or if the journal's
// values are invalid; `parameters` must not be used then.
bool fill_parameters(AVCodecParameters& parameters, const container::JournalTrack& track);

}  // namespace texcast::media
