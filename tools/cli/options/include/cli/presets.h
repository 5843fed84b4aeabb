// presets.h — the words of `send --for PURPOSE` (stream/preset.h). Explicit options override the preset.
#pragma once

#include <string_view>

#include "base/result.h"
#include "stream/preset.h"

namespace texcast::cli {

using stream::Preset;
using stream::preset_of;
using stream::presets;
using stream::Purpose;

Result<Purpose> parse_purpose(std::string_view text);

}  // namespace texcast::cli
