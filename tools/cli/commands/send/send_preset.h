// send_preset.h — applies the preset of `--for` to the options of `send`.
#pragma once

#include "cli/options.h"

namespace texcast::cli {

// Explicit options override the values of the preset, such as its bit rate. An option that excludes what a named preset
// promises throws Error{usage}; if only the config file names the preset, an option of the command line replaces it. A
// screen or window without explicit coding options gets the `desktop` preset.
SendOptions with_preset(const SendOptions& given);

// Throws Error{usage} if `options`, which with_preset() gave, name a preset that promises lossy coding, and a stream of
// this format has none.
void check_promise(const SendOptions& options, TextureFormat format);

}  // namespace texcast::cli
