// send_preset.h — applies the preset of `--for` to the options of `send`.
#pragma once

#include "cli/options.h"

namespace texcast::cli {

// Explicit options override the preset. Lossy coding is left out if the stream cannot be lossy. A screen or window
// without explicit coding options gets the `desktop` preset.
SendOptions with_preset(const SendOptions& given);

}  // namespace texcast::cli
