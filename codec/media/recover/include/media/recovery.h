// recovery.h — repairs recordings that were never closed, which media/recording_state.h detects. The public interface
// is texcast/file_recovery.h, which is built on this one.
//
// Thread-safe on distinct recordings.
#pragma once

#include "media/recording_state.h"
#include "texcast/file_recovery.h"

namespace texcast::media {

using texcast::RecoveryReport;
using texcast::RecoverySettings;

// As recover_file(), for valid paths and rules.
RecoveryReport recover_recording(const RecoverySettings& settings);

}  // namespace texcast::media
