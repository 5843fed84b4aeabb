// recovery.h — recordings that were never closed, and what the journal beside a recording tells of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/frame_times.h"

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

struct RecoverySettings {
  std::string recording;
  std::string output;  // empty: the recording itself is replaced, once the new file is complete beside it
};

struct RecoveryReport {
  std::string output;
  bool was_complete = false;  // nothing to do but for the journal
  int64_t frames = 0;         // of the first video track
  int64_t packets = 0;        // of all tracks
  int64_t damaged = 0;        // packets whose bytes are not those that were written: left out
  int64_t bytes = 0;          // of the new file
  nanoseconds duration{};     // of the first video track
};

// Rebuilds the file from its journal (.mov), or from itself (.mkv): every packet that is whole, with its time. Throws
// Error{usage} for what cannot be recovered so, Error{input} where there is nothing to go by, Error{corrupt} where no
// frame is whole, Error{failed} where the new file cannot be written; the recording is then as it was.
RecoveryReport recover_recording(const RecoverySettings& settings);

}  // namespace texcast::media
