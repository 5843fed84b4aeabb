// shown_formats.h — which texture formats the GPU that OBS draws with takes as they are.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <set>

#include "texcast/format.h"

namespace texcast::obs {

using FormatSet = std::set<TextureFormat>;

// Those of the formats that the plugin draws. Must be called inside of OBS's graphics context.
FormatSet formats_of_gpu();

// The format to transcode to on an OpenCL device, for a format that is not in `shown`. Nothing: there is none.
std::optional<TextureFormat> transcoding_target(TextureFormat from, const FormatSet& shown);

}  // namespace texcast::obs
