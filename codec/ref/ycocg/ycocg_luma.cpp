#include "ycocg_luma.h"

#include <algorithm>
#include <array>

namespace texcast::ref {
namespace {

struct Saturation {
  // For one channel: 4 times the wanted luma; 0..255; 3 times the mean of the channels' targets.
  int target, source, mean3;
  // Whether the channel is exact at this luma because it is clamped to 0..255.
  bool holds() const { return (source == 255 && mean3 >= 3 * target) || (source == 0 && mean3 <= 3 * target); }
};

}  // namespace

int luma_target(int r, int g, int b, int co, int cg) {
  const std::array<int, 3> source{r, g, b}, target{4 * r - co + cg, 4 * g - cg, 4 * b + co + cg};
  const int mean3 = target[0] + target[1] + target[2];
  int sum = 0, count = 0;
  for (size_t c = 0; c < 3; ++c) {
    if (Saturation{target[c], source[c], mean3}.holds()) continue;
    sum += target[c];
    ++count;
  }
  const int twelfths = count == 1 ? 3 * sum : count == 2 ? (3 * sum) >> 1 : mean3;
  return std::clamp(twelfths, 0, 3060);
}

}  // namespace texcast::ref
