// color_names.h — names of ITU-T H.273's colour code points, for people.
//
// Thread-safe: functions only. Any number has a name.
#pragma once

#include <string>

#include "texcast/frame.h"

namespace texcast::media {

std::string primaries_name(int code);  // "BT.709"; "unspecified", or "primaries 99" for unknown ones
std::string transfer_name(int code);   // "sRGB"
std::string matrix_name(ColorMatrix matrix);

// All of them in one line: "BT.709, full range"; "BT.2020 primaries, PQ transfer, BT.2020 matrix, full range".
std::string color_text(const ColorSpec& color);

}  // namespace texcast::media
