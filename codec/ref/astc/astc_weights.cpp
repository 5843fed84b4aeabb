#include "astc_weights.h"

#include <cstddef>

namespace texcast::ref {

int astc_place(int at, int texels, int weights) {
  const int step = (1024 + texels / 2) / (texels - 1);
  return (step * at * (weights - 1) + 32) >> 6;
}

int astc_texel_weight(const AstcGrid& grid, AstcSize size, std::span<const int> weights, int plane, int x, int y) {
  const int across = astc_place(x, size.width, grid.width), down = astc_place(y, size.height, grid.height);
  const int left = across >> 4, top = down >> 4, right_part = across & 15, lower_part = down & 15;
  const int corner = (right_part * lower_part + 8) >> 4;
  const auto weight = [&](int dx, int dy, int part) {
    if (part == 0) return 0;  // the next weight may not exist
    return part * weights[static_cast<size_t>(((top + dy) * grid.width + left + dx) * grid.planes + plane)];
  };
  const int sum = weight(0, 0, 16 - right_part - lower_part + corner) + weight(1, 0, right_part - corner) +
                  weight(0, 1, lower_part - corner) + weight(1, 1, corner);
  return (sum + 8) >> 4;
}

}  // namespace texcast::ref
