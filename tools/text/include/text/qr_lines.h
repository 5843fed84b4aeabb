// qr_lines.h — a QR code as lines of text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace texcast {

// The modules of a QR code (ISO/IEC 18004), row by row from the top left.
struct QrModules {
  int side = 0;
  std::vector<uint8_t> dark{};  // side x side; 1: dark, 0: light
};

inline constexpr int kQrQuietZone = 4;  // light modules around the code, which the standard requires

// Lines of the same width, side + 2 * kQrQuietZone columns, in which blanks and half blocks (U+2580, U+2584, U+2588)
// stand for two rows of modules each. The blocks are the dark modules: print them dark on light.
std::vector<std::string> qr_lines(const QrModules& code);

}  // namespace texcast
