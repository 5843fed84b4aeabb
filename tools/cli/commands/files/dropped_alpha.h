// dropped_alpha.h — tells users of alpha that a texture's format leaves out.
#pragma once

#include "cli/options.h"
#include "media/frame_source.h"

namespace texcast::cli {

// Logs a warning with the formats that keep alpha if frames of the source so far had transparent parts and the format
// drops them. Call it once for each output.
void warn_of_dropped_alpha(const media::FrameSource& source, const EncodeOptions& options);

}  // namespace texcast::cli
