// remux.h — what can still be read of a file whose container survives by itself (.mkv), into a new one.
#pragma once

#include <string>

#include "media/muxed_output.h"
#include "media/recovery.h"

namespace texcast::media {

// Adds the tracks, begins, and copies every packet that is whole: texture frames are looked into. Counts in `report`.
// Throws Error{input} where the file cannot be opened, Error{failed} as MuxedOutput does.
void remux(const std::string& recording, MuxedOutput& output, RecoveryReport& report);

}  // namespace texcast::media
