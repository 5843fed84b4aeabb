// ktx2_color.h — ColorSpec in KTX2: the descriptor's code points, and a key for what they cannot express.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "texcast/frame.h"

namespace texcast::container::ktx2 {

inline constexpr uint8_t kUnspecified = 0, kTransferSrgb = 2;

// The Khronos Data Format's values for those of H.273; kUnspecified if there is none.
uint8_t dfd_primaries(uint8_t h273);
uint8_t dfd_transfer(uint8_t h273);

// The usual ColorSpec of a file without the key: full range, BT.709's matrix.
ColorSpec color_from_dfd(uint8_t primaries, uint8_t transfer);

// "1,1,13": H.273 code points of matrix, primaries, transfer. Any other text returns nothing.
std::string color_text(const ColorSpec& color);
std::optional<ColorSpec> color_from_text(std::string_view text);

}  // namespace texcast::container::ktx2
