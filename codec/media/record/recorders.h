// recorders.h — the two kinds of Recorder that make_recorder() chooses from. They throw as it does.
#pragma once

#include <memory>

#include "media/recorder.h"

namespace texcast::media {

// The claim of the next file of a recording, with number `part` or a later one: the claim in the settings, which is
// moved out of them, or a new one. Throws as OutputClaim::take() does.
struct NextName {
  NextName(RecorderSettings& settings, size_t part);
  IfExists rule;
  std::shared_ptr<OutputClaim> claim;
};

// `bytes`: of the files, if they were closed now.
RecorderProgress progress_of(const RecorderReport& report, int64_t bytes);

// Throws RecordingFull; `bytes`: of the files.
[[noreturn]] void throw_recording_full(const RecorderSettings& settings, int64_t bytes);

std::unique_ptr<Recorder> make_muxed_recorder(const RecorderSettings& settings, const char* muxer);
std::unique_ptr<Recorder> make_still_recorder(const RecorderSettings& settings);  // DDS, KTX2, .astc

}  // namespace texcast::media
