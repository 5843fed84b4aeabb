// send_preset.h — the options of `send` with what `--for` fills in.
#pragma once

#include "cli/options.h"

namespace texcast::cli {

// What was given stays; the rest is the preset's, as far as the stream can be so. A screen or window of which nothing
// is said that a preset would say is for `desktop`.
SendOptions with_preset(const SendOptions& given);

}  // namespace texcast::cli
