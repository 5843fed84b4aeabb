// encode_part.h — the share of a video that `encode --part` encodes.
#pragma once

#include <memory>

#include "cli/options.h"
#include "media/frame_source.h"
#include "media/recorder.h"

namespace texcast::cli {

// Throws Error{usage} for options that a part excludes, and for pipes. Does nothing without --part.
void check_part(const EncodeOptions& options, bool pipes);

// Without the limits of the whole video (--duration, --frames): only its part has an end.
InputOptions input_of_part(const EncodeOptions& options);

// Makes `source`, which was opened with input_of_part(), the source of the part, and `settings` its recording. The
// part begins and ends where the whole recording has key frames. Throws Error{usage} if the length of the video is not
// known, it is too short for so many parts, or its sound cannot be divided. Does nothing without --part.
std::unique_ptr<media::FrameSource> take_part(std::unique_ptr<media::FrameSource> source, const EncodeOptions& options,
                                              media::RecorderSettings& settings);

// The largest number of parts, up to `wanted`, that the video `source` can be cut into. `settings` are those of its
// recording. Throws Error{usage} if the length of the video is not known.
int possible_parts(const media::FrameSource& source, const EncodeOptions& options,
                   const media::RecorderSettings& settings, int wanted);

}  // namespace texcast::cli
