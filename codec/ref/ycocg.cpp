#include "ref/ycocg.h"

#include <algorithm>

namespace texcast::ref {
namespace {

// value / divisor + 128, rounded (halves up) and held to a byte; divisor a power of two.
int offset_byte(int value, int divisor) { return std::clamp((value + 128 * divisor + divisor / 2) / divisor, 0, 255); }

}  // namespace

int ycocg_y(int r, int g, int b) { return (r + 2 * g + b + 2) / 4; }
int ycocg_co(int sum_r, int sum_b, int count) { return offset_byte(sum_r - sum_b, 2 * count); }
int ycocg_cg(int sum_r, int sum_g, int sum_b, int count) { return offset_byte(2 * sum_g - sum_r - sum_b, 4 * count); }

std::array<int, 3> ycocg_to_rgb(int y, int co, int cg) {
  co -= 128;
  cg -= 128;
  return {std::clamp(y + co - cg, 0, 255), std::clamp(y + cg, 0, 255), std::clamp(y - co - cg, 0, 255)};
}

}  // namespace texcast::ref
