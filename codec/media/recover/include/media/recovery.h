// recovery.h — recordings that were never closed, made whole again.
#pragma once

#include <cstdint>
#include <string>

#include "base/frame_times.h"
#include "media/recording_state.h"

namespace texcast::media {

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
