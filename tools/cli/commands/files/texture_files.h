// texture_files.h — texture files as the command line opens them, and what it says of those to be written.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/options.h"
#include "media/clip_reader.h"
#include "media/frame_source.h"
#include "media/recorder.h"
#include "stream/layout_recorder.h"

namespace texcast::cli {

// Throws Error{input}: no such file, or ordinary video and pictures (with what to do instead); Error{corrupt}.
std::unique_ptr<media::ClipReader> open_texture_file(const std::string& path, const StillPart& part = {});

// Texture and rate are for the caller to add. No path: nothing is recorded.
media::RecorderSettings recorder_settings(const std::string& path, const PackingOptions& packing);
// Throws Error{usage} where --mips or --srgb are of no use with that output and format.
void check_still_options(const EncodeOptions& options);
// The sound of the input, where there is a file with any and the output can hold it.
std::optional<media::AudioSource> audio_of(const EncodeOptions& options, const media::FrameSource& source);
stream::LayoutSettings layout_settings(const StreamOptions& options);

}  // namespace texcast::cli
