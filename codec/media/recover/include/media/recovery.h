// recovery.h — recordings that were never closed, made whole again. Whether one was: media/recording_state.h. Others
// are given texcast/file_recovery.h, which stands on this.
//
// Thread-safe on distinct recordings.
#pragma once

#include "media/recording_state.h"
#include "texcast/file_recovery.h"

namespace texcast::media {

using texcast::RecoveryReport;
using texcast::RecoverySettings;

// As recover_file(), with paths and rules that are known to be some.
RecoveryReport recover_recording(const RecoverySettings& settings);

}  // namespace texcast::media
