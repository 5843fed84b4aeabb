#include <algorithm>
#include <vector>

#include "bc1_palette.h"

namespace texcast::ref {
namespace {

struct LineEnds {
  int low, high;
};

// The line through the points (rank, value) of the sorted distinct values, read off at the first and last rank and
// rounded to the nearest. With n values v_r of ranks r, S = sum((2r - (n-1)) v_r) and sum((2r - (n-1))^2) =
// n(n^2-1)/3, the line's ends are (sum(v) (n+1) -+ 3 S) / (n (n+1)).
LineEnds fit_line(const ChannelBlock& quantised, int largest_code) {
  std::vector<int> values(quantised.begin(), quantised.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const int n = static_cast<int>(values.size());
  int sum = 0, slope = 0;
  for (int rank = 0; rank < n; ++rank) {
    const int value = values[static_cast<size_t>(rank)];
    sum += value;
    slope += (2 * rank - (n - 1)) * value;
  }
  const int denominator = n * (n + 1);
  const auto round_to_code = [&](int numerator) {
    return std::min((2 * std::max(numerator, 0) + denominator) / (2 * denominator), largest_code);
  };
  return {round_to_code(sum * (n + 1) - 3 * slope), round_to_code(sum * (n + 1) + 3 * slope)};
}

}  // namespace

Bc1Block encode_bc1_lspiro1(const RgbBlock& texels) {
  const auto directions = channel_directions(texels);
  const std::array<const ChannelBlock*, 3> channels = {&texels.r, &texels.g, &texels.b};
  Color565 high{}, low{};
  for (size_t c = 0; c < 3; ++c) {
    ChannelBlock quantised{};
    std::transform(channels[c]->begin(), channels[c]->end(), quantised.begin(), c == 1 ? to_6_bits : to_5_bits);
    const LineEnds ends = fit_line(quantised, c == 1 ? 63 : 31);
    high[c] = directions[c] < 0 ? ends.low : ends.high;
    low[c] = directions[c] < 0 ? ends.high : ends.low;
  }
  return pack_bc1(texels, high, low);
}

}  // namespace texcast::ref
