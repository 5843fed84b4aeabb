// recorder_settings.h — what the command line says of recordings, as the recorder takes it.
#pragma once

#include <optional>

#include "cli/options.h"
#include "media/frame_source.h"
#include "media/recorder.h"
#include "stream/layout_recorder.h"

namespace texcast::cli {

// Texture and rate are for the caller to add. No path: nothing is recorded.
media::RecorderSettings recorder_settings(const std::string& path, const PackingOptions& packing);
// The sound of the input, where there is a file with any and the output can hold it.
std::optional<media::AudioSource> audio_of(const EncodeOptions& options, const media::FrameSource& source);
stream::LayoutSettings layout_settings(const StreamOptions& options);

}  // namespace texcast::cli
