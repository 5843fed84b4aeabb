#include "astc_texels.h"

#include <algorithm>

namespace texcast::ref::astc {

Texels texels_of(std::span<const AstcRgba> block, int side) {
  Texels texels{.side = side};
  texels.has_alpha = std::ranges::any_of(block, [](const AstcRgba& texel) { return texel[3] != 255; });
  texels.is_grey =
      std::ranges::all_of(block, [](const AstcRgba& texel) { return texel[0] == texel[1] && texel[0] == texel[2]; });
  const int count = texels.count();
  for (const size_t c : kChannels) {
    if (c == 3 && !texels.has_alpha) continue;
    int sum = count / 2;
    for (const AstcRgba& texel : block) sum += texel[c];
    const int center = sum / count;
    texels.center[c] = static_cast<float>(center);
    for (size_t i = 0; i < block.size(); ++i) texels.values[i][c] = static_cast<float>(block[i][c] - center);
  }
  return texels;
}

}  // namespace texcast::ref::astc
