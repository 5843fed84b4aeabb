// unused_options.h — options that would do nothing for what they are given with: refused in one line each, so that nobody
// believes that they did. What a file's extension decides is in texture_files.h.
#pragma once

#include "cli/options.h"
#include "live/destinations.h"
#include "media/frame_source.h"

namespace texcast::cli {

// Throw Error{usage}.
void reject_unused(const InputOptions& options);                                    // before the input is opened,
void reject_unused(const InputOptions& options, const media::FrameSource& source);  // and when it is known what it is
void reject_unused(const EncodingOptions& options);
void reject_unused(const SendOptions& options);                                            // before names are looked up,
void reject_unused(const SendOptions& options, const stream::Destinations& destinations);  // and behind that
void reject_unused(const SendOptions& options, const media::FrameSource& source);
void reject_unused(const DoctorOptions& options);
void reject_unused(const PlayOptions& options);
void reject_unused(const StreamOptions& options);  // of `receive`
void reject_unused(const LatencyOptions& options);

}  // namespace texcast::cli
