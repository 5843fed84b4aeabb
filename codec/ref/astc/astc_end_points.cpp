#include "astc_end_points.h"

#include <algorithm>
#include <cstddef>

#include "base/ensure.h"

namespace texcast::ref {
namespace {

// A value of eight bits and a signed offset of six from two integers: the offset's integer holds the value's top bit.
struct ValueAndOffset {
  int value, offset;
};
ValueAndOffset transfer(int value, int offset) {
  const int half = offset >> 1 & 0x3F;
  return {value >> 1 | (offset & 0x80), (half & 0x20) != 0 ? half - 0x40 : half};
}

// Reverses blue contraction, by which red and green were stored nearer to blue.
AstcRgba blue_contract(const AstcRgba& c) { return {(c[0] + c[2]) >> 1, (c[1] + c[2]) >> 1, c[2], c[3]}; }

AstcRgba clamped(AstcRgba c) {
  for (int& channel : c) channel = std::clamp(channel, 0, 255);
  return c;
}

// R G B, and alpha if there are eight integers.
AstcEnds direct(std::span<const int> v) {
  const bool has_alpha = v.size() == 8;
  const AstcRgba first = {v[0], v[2], v[4], has_alpha ? v[6] : 255},
                 second = {v[1], v[3], v[5], has_alpha ? v[7] : 255};
  if (v[1] + v[3] + v[5] >= v[0] + v[2] + v[4]) return {first, second};
  return {blue_contract(second), blue_contract(first)};
}

AstcEnds base_and_offset(std::span<const int> v) {
  AstcRgba base = {0, 0, 0, 255}, moved = {0, 0, 0, 255};
  int offsets = 0;
  for (size_t c = 0; 2 * c < v.size(); ++c) {
    const auto [value, offset] = transfer(v[2 * c], v[2 * c + 1]);
    base[c] = value;
    moved[c] = value + offset;
    if (c < 3) offsets += offset;
  }
  if (offsets >= 0) return {clamped(base), clamped(moved)};
  return {clamped(blue_contract(moved)), clamped(blue_contract(base))};
}

AstcEnds scaled(std::span<const int> v) {
  const bool has_alpha = v.size() == 6;
  const auto scale = [&](int value) { return value * v[3] >> 8; };
  return {AstcRgba{scale(v[0]), scale(v[1]), scale(v[2]), has_alpha ? v[4] : 255},
          AstcRgba{v[0], v[1], v[2], has_alpha ? v[5] : 255}};
}

AstcRgba grey(int luminance, int alpha = 255) { return {luminance, luminance, luminance, alpha}; }

}  // namespace

AstcEnds astc_ends(int mode, std::span<const int> v) {
  ENSURE(!is_astc_hdr(mode) && v.size() == static_cast<size_t>(astc_color_integers(mode)));
  switch (mode) {
    case kAstcLuminance: return {grey(v[0]), grey(v[1])};
    case kAstcLuminanceOffset: {
      const int low = v[0] >> 2 | (v[1] & 0xC0);
      return {grey(low), grey(std::min(low + (v[1] & 0x3F), 255))};
    }
    case kAstcLuminanceAlpha: return {grey(v[0], v[2]), grey(v[1], v[3])};
    case kAstcLuminanceAlphaOffset: {
      const auto [light, more_light] = transfer(v[0], v[1]);
      const auto [alpha, more_alpha] = transfer(v[2], v[3]);
      return {clamped(grey(light, alpha)), clamped(grey(light + more_light, alpha + more_alpha))};
    }
    case kAstcRgbScale:
    case kAstcRgbScaleAlpha: return scaled(v);
    case kAstcRgb:
    case kAstcRgba: return direct(v);
    case kAstcRgbOffset:
    case kAstcRgbaOffset: return base_and_offset(v);
    default: break;
  }
  ENSURE(false);
  return {};
}

}  // namespace texcast::ref
