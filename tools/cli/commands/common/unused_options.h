// unused_options.h — rejects options that would have no effect, so that nobody believes that they had one. Options that
// depend on the extension of a file are checked in files/texture_files.h.
#pragma once

#include "cli/options.h"
#include "live/destinations.h"
#include "media/frame_source.h"

namespace texcast::cli {

// All throw Error{usage} with one line that names the option.
void reject_unused(const InputOptions& options);                                    // before the input is opened
void reject_unused(const InputOptions& options, const media::FrameSource& source);  // afterwards
void reject_unused(const EncodingOptions& options);
// `serves_browsers`: an address may be web://….
void reject_unused(const WebOptions& options, bool serves_browsers);
void reject_unused(const SendOptions& options);                                            // before names are resolved
void reject_unused(const SendOptions& options, const stream::Destinations& destinations);  // afterwards
void reject_unused(const SendOptions& options, const media::FrameSource& source);
void reject_unused(const DoctorOptions& options);
void reject_unused(const PlayOptions& options);
void reject_unused(const StreamOptions& options);  // of `receive`
void reject_unused(const ServeOptions& options);   // after names are resolved
void reject_unused(const LatencyOptions& options);

}  // namespace texcast::cli
