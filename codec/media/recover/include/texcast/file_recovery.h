// file_recovery.h — recordings that were never closed (the program was killed, the power went), made whole again.
//
//     const auto report = texcast::recover_file({.recording = "show.mov"});
//     std::cout << report.frames << " frames are there\n";
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/frame_times.h"
#include "texcast/if_exists.h"

namespace texcast {

struct RecoverySettings {
  std::string recording{};  // .mov or .mkv
  std::string output{};     // empty: the recording itself is replaced, once the new file is complete beside it
  IfExists if_exists = IfExists::refuse;    // of the output, where there is one
  const std::atomic<bool>* stop = nullptr;  // once set, from any thread: gives up, Error{failed}; outlives the call
};

struct RecoveryReport {
  std::string output{};
  bool was_complete = false;  // nothing to do but for the journal, or for a copy where an output was named
  int64_t frames = 0;         // of the first video track
  int64_t packets = 0;        // of all tracks
  int64_t damaged = 0;        // packets whose bytes are not those that were written: left out
  int64_t bytes = 0;          // of the new file
  nanoseconds duration{};     // of the first video track
};

// Writes every packet that is whole, with its time, into a new file. Of a .mov the journal says where the packets are;
// a .mkv can be read by itself. Throws, and leaves the recording as it was: Error{usage} for other files, for one
// that is being recorded and for an output that is the recording, Error{input} where there is no such file or no
// journal, Error{corrupt} where no frame is whole, NameTaken, Error{failed} where the new file cannot be written,
// Error{misuse} for an empty path or a rule that there is not. Thread-safe on distinct recordings.
TEXCAST_API RecoveryReport recover_file(const RecoverySettings& settings);

}  // namespace texcast
