#include "astc_mode.h"

#include "astc_ranges.h"

namespace texcast::ref {

int AstcGrid::bits() const { return astc_sequence_bits(weights(), range); }

std::optional<AstcGrid> astc_grid(int mode, AstcSize size) {
  const auto field = [&](int from, int count) { return mode >> from & ((1 << count) - 1); };
  AstcGrid grid;
  const int a = field(5, 2);
  int base_range = field(4, 1);
  bool is_high_precision = field(9, 1) != 0;
  if (field(10, 1)) grid.planes = 2;
  if (field(0, 2) != 0) {
    base_range |= field(0, 2) << 1;
    const int b = field(7, 2);
    switch (field(2, 2)) {
      case 0: grid.width = b + 4, grid.height = a + 2; break;
      case 1: grid.width = b + 8, grid.height = a + 2; break;
      case 2: grid.width = a + 2, grid.height = b + 8; break;
      default:
        if (b & 2)
          grid.width = (b & 1) + 2, grid.height = a + 2;
        else
          grid.width = a + 2, grid.height = (b & 1) + 6;
    }
  } else {
    base_range |= field(2, 2) << 1;
    if (field(2, 2) == 0) return {};
    switch (field(7, 2)) {
      case 0: grid.width = 12, grid.height = a + 2; break;
      case 1: grid.width = a + 2, grid.height = 12; break;
      case 2:
        grid.width = a + 6, grid.height = field(9, 2) + 6;
        grid.planes = 1;
        is_high_precision = false;
        break;
      default:
        if (a > 1) return {};
        grid.width = a == 0 ? 6 : 10, grid.height = a == 0 ? 10 : 6;
    }
  }
  grid.range = base_range - 2 + (is_high_precision ? 6 : 0);
  if (grid.width > size.width || grid.height > size.height || grid.weights() > kAstcMaxWeights) return {};
  if (grid.bits() < 24 || grid.bits() > 96) return {};
  return grid;
}

}  // namespace texcast::ref
