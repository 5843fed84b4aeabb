// recording_state.h — what the journal beside a recording tells about it: whether the recording was closed, and which
// of its frames were received incompletely.
//
// Thread-safe. No function throws because of a file's contents: an unreadable journal counts as none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace texcast::media {

enum class RecordingState {
  complete,        // closed, or without a journal, which then is assumed
  being_recorded,  // another program, or this one, is writing it
  cut_off,         // never closed: recover_recording() can repair it
};
RecordingState recording_state(const std::string& recording);

// The state of an incomplete recording and the remedy, as a clause for a message: "it was not closed: texcast recover
// show.mov". Nothing if it is complete.
std::optional<std::string> advice_for(const std::string& recording);

// Frames with blocks that never arrived and were concealed by those of the previous frame.
struct ConcealedCount {
  int64_t frames = 0;
  int64_t blocks = 0;  // of all frames together
};
// Nothing if there is no journal, or if it belongs to a recording of another length.
std::optional<ConcealedCount> concealed_in(const std::string& recording);

}  // namespace texcast::media
