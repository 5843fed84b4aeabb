// etc2_planar.cpp — the plane through the texels by least squares, each channel independently, then a search by steps
// of its three codes.
#include "etc2_modes.h"

namespace texcast::ref::etc {
namespace {

// For one channel: codes of the top left, right and bottom corner.
using Corners = std::array<int, 3>;

int to_byte(int code, int bits) { return bits == 6 ? code << 2 | code >> 4 : code << 1 | code >> 6; }

int channel_error(const ChannelBlock& channel, const Corners& codes, int bits) {
  const int origin = to_byte(codes[0], bits), across = to_byte(codes[1], bits), down = to_byte(codes[2], bits);
  int error = 0;
  for (size_t i = 0; i < 16; ++i) {
    const int x = static_cast<int>(i % 4), y = static_cast<int>(i / 4);
    const int value = (x * (across - origin) + y * (down - origin) + 4 * origin + 2) >> 2;
    const int off = std::clamp(value, 0, 255) - channel[i];
    error += off * off;
  }
  return error;
}

// The code nearest to a value in eightieths of a byte's step.
int to_code(int eightieths, int bits) {
  const int most = (1 << bits) - 1;
  return std::min((std::max(eightieths, 0) * most + 80 * 255 / 2) / (80 * 255), most);
}

Corners fitted(const ChannelBlock& channel, int bits) {
  int sum = 0, across = 0, down = 0;
  for (size_t i = 0; i < 16; ++i) {
    sum += channel[i];
    across += (2 * static_cast<int>(i % 4) - 3) * channel[i];
    down += (2 * static_cast<int>(i / 4) - 3) * channel[i];
  }
  // The slope to the right is across / 40, the middle sum / 16 at (1.5, 1.5).
  const int origin = 5 * sum - 3 * (across + down);
  return {to_code(origin, bits), to_code(origin + 8 * across, bits), to_code(origin + 8 * down, bits)};
}

// Moves to the best of the neighbours, which form a cube, until none is better.
int walk_corners(const ChannelBlock& channel, int bits, int steps, Corners& codes) {
  int error = channel_error(channel, codes, bits);
  const int most = (1 << bits) - 1;
  for (int step = 0; step < steps; ++step) {
    const Corners from = codes;
    const int before = error;
    for (int n = 0; n < 27; ++n) {
      const Corners next = {from[0] + n / 9 - 1, from[1] + n / 3 % 3 - 1, from[2] + n % 3 - 1};
      if (std::ranges::min(next) < 0 || std::ranges::max(next) > most) continue;
      const int next_error = channel_error(channel, next, bits);
      if (next_error >= error) continue;
      error = next_error;
      codes = next;
    }
    if (error == before) break;
  }
  return error;
}

}  // namespace

Coded planar(const RgbBlock& texels, int effort) {
  PlanarCode code;
  int error = 0;
  const std::array<const ChannelBlock*, 3> channels = {&texels.r, &texels.g, &texels.b};
  for (size_t c = 0; c < 3; ++c) {
    const int bits = c == 1 ? 7 : 6;
    Corners codes = fitted(*channels[c], bits);
    error += walk_corners(*channels[c], bits, TEXCAST_ETC2_PLANAR_STEPS(effort), codes);
    code.origin[c] = codes[0];
    code.across[c] = codes[1];
    code.down[c] = codes[2];
  }
  return {pack_planar(code), error};
}

}  // namespace texcast::ref::etc
