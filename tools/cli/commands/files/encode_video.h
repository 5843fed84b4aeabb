// encode_video.h — whether `texcast encode` could encode a video, asked before the work is given to others.
#pragma once

#include "cli/options.h"

namespace texcast::cli {

// The largest number of parts, up to `wanted`, that `encode --part` can make of the video. Checks the options as
// `encode` does, and opens the input. Throws Error{usage} or Error{input} for what `encode` would refuse.
int possible_parts(const EncodeOptions& options, int wanted);

}  // namespace texcast::cli
