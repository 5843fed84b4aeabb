// astc_end_points.h — two colours from a partition's integers, by its colour end point mode (section 23.14).
#pragma once

#include <array>
#include <span>

#include "ref/astc.h"

namespace texcast::ref {

// The standard's mode numbers; the missing ones are HDR.
enum AstcColorMode : int {
  kAstcLuminance = 0,
  kAstcLuminanceOffset = 1,
  kAstcLuminanceAlpha = 4,
  kAstcLuminanceAlphaOffset = 5,
  kAstcRgbScale = 6,
  kAstcRgb = 8,
  kAstcRgbOffset = 9,
  kAstcRgbScaleAlpha = 10,
  kAstcRgba = 12,
  kAstcRgbaOffset = 13,
};

inline bool is_astc_hdr(int mode) { return mode == 2 || mode == 3 || mode == 7 || mode == 11 || mode >= 14; }
constexpr int astc_color_integers(int mode) { return 2 * (mode / 4) + 2; }

using AstcEnds = std::array<AstcRgba, 2>;  // each channel 0..255

// `values` are the mode's integers, each expanded to 0..255. Not for HDR modes.
AstcEnds astc_ends(int mode, std::span<const int> values);

}  // namespace texcast::ref
