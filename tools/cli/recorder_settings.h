// recorder_settings.h — what the command line says of recordings, as the recorder takes it.
#pragma once

#include "cli/options.h"
#include "media/recorder.h"
#include "stream/layout_recorder.h"

namespace texcast::cli {

// Texture and rate are for the caller to add. No path: nothing is recorded.
media::RecorderSettings recorder_settings(const std::string& path, const PackingOptions& packing);
stream::LayoutSettings layout_settings(const StreamOptions& options);

}  // namespace texcast::cli
