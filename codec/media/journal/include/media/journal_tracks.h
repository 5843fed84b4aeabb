// journal_tracks.h — FFmpeg's description of a track into what the journal stores of it, and back.
//
// Thread-safe: functions only.
#pragma once

#include "container/journal.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// Of a track of an output, once its header is written. The codec's private data must have at most
// container::kMaxJournalExtradata bytes.
container::JournalTrack journal_track(const AVStream& stream);

// The other way, into parameters that were just allocated. False when this FFmpeg does not know the codec, or when the
// journal's values make no sense; `parameters` is then of no use.
bool fill_parameters(AVCodecParameters& parameters, const container::JournalTrack& track);

}  // namespace texcast::media
