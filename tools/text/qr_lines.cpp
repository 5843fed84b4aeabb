#include "text/qr_lines.h"

#include <array>
#include <cstddef>

namespace texcast {

std::vector<std::string> qr_lines(const QrModules& code) {
  constexpr std::array kGlyphs = {" ", "\u2580", "\u2584", "\u2588"};  // bit 0: the upper module, bit 1: the lower one
  const auto is_dark = [&](int row, int column) {
    const bool is_inside = row >= 0 && row < code.side && column >= 0 && column < code.side;
    return is_inside && code.dark[static_cast<size_t>(row * code.side + column)] != 0;
  };
  std::vector<std::string> lines;
  for (int row = -kQrQuietZone; row < code.side + kQrQuietZone; row += 2) {
    std::string& line = lines.emplace_back();
    for (int column = -kQrQuietZone; column < code.side + kQrQuietZone; ++column)
      line += kGlyphs[(is_dark(row, column) ? 1U : 0U) + (is_dark(row + 1, column) ? 2U : 0U)];
  }
  return lines;
}

}  // namespace texcast
