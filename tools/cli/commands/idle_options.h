// idle_options.h — options that would do nothing for what they are given with: refused in one line each, so that nobody
// believes that they did. What a file's extension decides is in texture_files.h.
#pragma once

#include "cli/options.h"
#include "live/destinations.h"
#include "media/frame_source.h"

namespace texcast::cli {

// Throw Error{usage}.
void refuse_idle(const InputOptions& options);                                    // before the input is opened,
void refuse_idle(const InputOptions& options, const media::FrameSource& source);  // and when it is known what it is
void refuse_idle(const EncodingOptions& options);
void refuse_idle(const SendOptions& options);                                            // before names are looked up,
void refuse_idle(const SendOptions& options, const stream::Destinations& destinations);  // and behind that
void refuse_idle(const SendOptions& options, const media::FrameSource& source);
void refuse_idle(const DoctorOptions& options);
void refuse_idle(const PlayOptions& options);
void refuse_idle(const StreamOptions& options);  // of `receive`
void refuse_idle(const LatencyOptions& options);

}  // namespace texcast::cli
