// texture_files.h — opens texture files, and recorder settings by the options of a command.
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

// Throws Error{input} if the file does not exist, or is ordinary video or a picture (the message says what to do);
// Error{corrupt}.
std::unique_ptr<media::ClipReader> open_texture_file(const std::string& path, const StillPart& part = {});

// The caller adds texture and frame rate. Throws Error{usage} if an option does not fit the extension of `path`. `path`
// empty: nothing is recorded.
media::RecorderSettings recorder_settings(const std::string& path, const PackingOptions& packing);
// True for .mov and .mkv, by the name.
bool holds_tracks(const std::string& path);

// Throws Error{usage} if --mips or --srgb does not fit the output or format.
void check_still_options(const EncodeOptions& options);
// Whether the audio of the input is recorded if it has any.
bool records_sound(const EncodeOptions& options);
// The audio of the input, if it is a file with audio and the output can hold it.
std::optional<media::AudioSource> audio_of(const EncodeOptions& options, const media::FrameSource& source);
stream::LayoutSettings layout_settings(const StreamOptions& options);

}  // namespace texcast::cli
