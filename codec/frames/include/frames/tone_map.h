// tone_map.h — tone-maps linear light for 8-bit screens.
//
// Thread-safe: values and functions only.
#pragma once

#include <array>

#include "texcast/frame.h"
#include "texcast/image.h"

namespace texcast {

inline constexpr double kMaxExposure = 16;  // stops, in either direction

// BT.2020's red, green and blue to BT.709's, by rows (BT.2087).
inline constexpr std::array<std::array<double, 3>, 3> kBt2020ToBt709 = {
    {{1.6605, -0.5876, -0.0728}, {-0.1246, 1.1329, -0.0083}, {-0.0182, -0.1006, 1.1187}}};
inline constexpr uint8_t kBt2020Primaries = 9;  // H.273

// Above kShoulder of the screen's white the largest of R, G and B approaches white without reaching it, the others in
// proportion: y = s + (1 - s) (x - s) / (x - s + 1 - s), whose slope at s is 1.
inline constexpr double kShoulder = 0.75;

// Converts linear light in which 1 is white to displayed R'G'B' of 0..1: 2^exposure times as bright, in BT.709's
// primaries, tone-mapped, in sRGB's curve. Values whose transfer function is not linear are only clamped to 0..1.
std::array<double, 3> shown_color(std::array<double, 3> rgb, const ColorSpec& color, double exposure);

// The same for a picture of half floats with three channels (else misuse), to bytes.
void to_shown_bytes(const DecodedImage& halves, const ColorSpec& color, double exposure, DecodedImage& bytes);

}  // namespace texcast
