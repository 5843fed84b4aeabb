// journal_tracks.h — a muxer's track as the journal writes it down, and back.
#pragma once

#include "container/journal.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// Misuse when what the journal cannot hold is in it (checked by can_journal).
container::JournalTrack journal_track(const AVStream& stream);
// False where the codec's private data is too long for a journal.
bool can_journal(const AVCodecParameters& parameters);

// The other way. `parameters` is freshly allocated. False when this FFmpeg does not know the codec, or what the journal
// says is absurd.
bool fill_parameters(AVCodecParameters& parameters, const container::JournalTrack& track);

}  // namespace texcast::media
