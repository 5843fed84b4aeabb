// recording_state.h — what the journal beside a recording tells of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace texcast::media {

// As far as the journal beside it can tell.
enum class RecordingState { complete, being_recorded, cut_off };
RecordingState recording_state(const std::string& recording);

// What to do about a recording that is not complete, as a clause: "it was not closed: texcast recover show.mov".
// Nothing where it is complete.
std::optional<std::string> advice_for(const std::string& recording);

// Frames with blocks that never arrived and were filled in from the frame before.
struct ConcealedCount {
  int64_t frames = 0;
  int64_t blocks = 0;
};
// Nothing where there is no journal, or one of another file than this.
std::optional<ConcealedCount> concealed_in(const std::string& recording);

}  // namespace texcast::media
