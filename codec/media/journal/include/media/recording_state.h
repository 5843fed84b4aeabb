// recording_state.h — what the journal beside a recording tells of it: whether the recording was ever closed, and which
// of its frames were received with holes.
//
// Thread-safe. No function here throws for what a file holds: what cannot be read counts as no journal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace texcast::media {

enum class RecordingState {
  complete,        // closed, or without a journal: then there is nothing to tell otherwise
  being_recorded,  // another program, or this one, writes it right now
  cut_off,         // never closed: recover_recording() can make it whole
};
RecordingState recording_state(const std::string& recording);

// What to do about a recording that is not complete, as a clause for a message: "it was not closed: texcast recover
// show.mov". Nothing where it is complete.
std::optional<std::string> advice_for(const std::string& recording);

// Frames with blocks that never arrived and were filled in from the frame before.
struct ConcealedCount {
  int64_t frames = 0;
  int64_t blocks = 0;  // of all of them together
};
// Nothing where there is no journal, or one that belongs to a recording of another length.
std::optional<ConcealedCount> concealed_in(const std::string& recording);

}  // namespace texcast::media
