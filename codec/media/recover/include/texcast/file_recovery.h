// file_recovery.h — repairs recordings that were never closed, because the program was killed or the power failed.
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
  IfExists if_exists = IfExists::refuse;    // for the output, if there is one
  const std::atomic<bool>* stop = nullptr;  // set it on any thread to abort with Error{failed}; must outlive the call
};

struct RecoveryReport {
  std::string output{};
  bool was_complete = false;  // there was nothing to do, except for the journal, or for a copy if an output was named
  int64_t frames = 0;         // of the first video track
  int64_t packets = 0;        // of all tracks
  int64_t damaged = 0;        // packets whose bytes are not those that were written: left out
  int64_t bytes = 0;          // of the new file
  nanoseconds duration{};     // of the first video track
};

// Writes every intact packet, with its time, into a new file. The packets of a .mov are located by the journal; a .mkv
// can be read without it. Throws, and leaves the recording unchanged: Error{usage} for other files, for a recording in
// progress and for an output that is the recording; Error{input} if there is no such file or no journal; Error{corrupt}
// if no frame is intact; NameTaken; Error{failed} if the new file cannot be written; Error{misuse} for an empty path or
// an invalid IfExists. Thread-safe on distinct recordings.
TEXCAST_API RecoveryReport recover_file(const RecoverySettings& settings);

}  // namespace texcast
