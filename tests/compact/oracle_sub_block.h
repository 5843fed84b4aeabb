// oracle_sub_block.h — the fields of a sub-block, as the oracle reads them from docs/compact.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace oracle {

// A list with a fixed capacity. It is not on the heap: lists are made for every texel, and sanitizers keep the stack of
// each allocation.
template <size_t most>
class Few {
 public:
  Few() = default;
  Few(size_t count, int value) : count_(count) { numbers_.fill(value); }
  Few(std::initializer_list<int> numbers) {
    for (const int number : numbers) push_back(number);
  }
  void push_back(int number) { numbers_.at(count_++) = number; }
  int& operator[](size_t i) { return numbers_[checked(i)]; }
  int operator[](size_t i) const { return numbers_[checked(i)]; }

 private:
  size_t checked(size_t i) const {
    if (i >= count_) std::abort();
    return i;
  }
  std::array<int, most> numbers_{};
  size_t count_ = 0;
};
using Values = Few<6>;  // of the end points
using Ranked = Few<8>;  // levels by rank
using Texels = Few<16>;

// The pixels of a prediction block: [channel][texel].
using Pixels = std::array<std::array<int, 16>, 3>;

// Levels in the order of their ranks.
inline Ranked by_rank(int nearest, bool up_first, int steps, int levels) {
  Ranked order{nearest};
  for (int distance = 1; distance <= steps; ++distance) {
    const int first = up_first ? nearest + distance : nearest - distance;
    const int second = up_first ? nearest - distance : nearest + distance;
    if (first >= 0 && first <= steps) order.push_back(first);
    if (second >= 0 && second <= steps) order.push_back(second);
  }
  for (int level = steps + 1; level < levels; ++level) order.push_back(level);
  return order;
}

struct Shape {
  bool is_channel, always_four;
  int value_bits(int i) const { return is_channel ? 8 : i % 3 == 1 ? 6 : 5; }
  int values() const { return is_channel ? 2 : 6; }
  // The first bit of value i among those of the end points.
  int value_at(int i) const {
    static const int color[] = {11, 5, 0, 27, 21, 16};
    return is_channel ? 8 * i : color[i];
  }
  int end_bits() const { return is_channel ? 16 : 32; }
  int index_bits() const { return is_channel ? 3 : 2; }

  uint64_t ends(uint64_t sub_block) const { return sub_block & ((uint64_t{1} << end_bits()) - 1); }
  uint64_t index_field(uint64_t sub_block) const { return sub_block >> end_bits(); }
  Values values_of(uint64_t ends) const {
    Values values;
    for (int i = 0; i < this->values(); ++i)
      values.push_back(static_cast<int>(ends >> value_at(i)) & ((1 << value_bits(i)) - 1));
    return values;
  }
  uint64_t ends_of(const Values& values) const {
    uint64_t ends = 0;
    for (int i = 0; i < this->values(); ++i)
      ends |= static_cast<uint64_t>(values[i] & ((1 << value_bits(i)) - 1)) << value_at(i);
    return ends;
  }
  bool full(uint64_t ends) const {
    if (is_channel) return (ends & 0xFF) > ends >> 8;
    return always_four || (ends & 0xFFFF) > ends >> 16;
  }
  int steps(uint64_t ends) const { return is_channel ? (full(ends) ? 7 : 5) : (full(ends) ? 3 : 2); }
  int levels() const { return is_channel ? 8 : 4; }
  int level_of(uint64_t ends, int index) const {
    static const int color[2][4] = {{0, 2, 1, 3}, {0, 3, 1, 2}};
    static const int channel[2][8] = {{0, 5, 1, 2, 3, 4, 6, 7}, {0, 7, 1, 2, 3, 4, 5, 6}};
    return is_channel ? channel[full(ends)][index] : color[full(ends)][index];
  }
  int index_of(uint64_t ends, int level) const {
    for (int index = 0; index < levels(); ++index)
      if (level_of(ends, index) == level) return index;
    std::abort();
  }
  int channels() const { return is_channel ? 1 : 3; }
  int end_point(uint64_t ends, int which, int channel) const {
    const int value = values_of(ends)[is_channel ? which : which * 3 + channel];
    if (is_channel) return value;
    return channel == 1 ? value << 2 | value >> 4 : value << 3 | value >> 2;
  }
  int decoded(uint64_t ends, int level, int channel) const {
    const int n = steps(ends);
    if (level <= n) return (end_point(ends, 0, channel) * (n - level) + end_point(ends, 1, channel) * level) / n;
    return is_channel && level == 7 ? 255 : 0;
  }
  uint64_t sub_block(uint64_t ends, const Texels& levels) const {
    uint64_t value = ends;
    for (int i = 0; i < 16; ++i)
      value |= static_cast<uint64_t>(index_of(ends, levels[i])) << (end_bits() + i * index_bits());
    return value;
  }

  // Predictions (docs/compact.md).
  uint64_t fitted(const Pixels& pixels) const {
    int low[3], high[3], sum[3] = {0, 0, 0};
    for (int c = 0; c < channels(); ++c) {
      low[c] = 255;
      high[c] = 0;
      for (const int t : pixels[c]) {
        low[c] = std::min(low[c], t);
        high[c] = std::max(high[c], t);
        sum[c] += t;
      }
    }
    if (is_channel) return ends_of({high[0], low[0]});
    for (const int c : {0, 2}) {
      int64_t covariance = 0;
      for (int i = 0; i < 16; ++i) covariance += int64_t{16 * pixels[1][i] - sum[1]} * (16 * pixels[c][i] - sum[c]);
      if (covariance < 0) std::swap(low[c], high[c]);
    }
    const auto value = [](int v, int most) { return (most * v + 127) / 255; };
    uint64_t c0 = 0, c1 = 0;
    for (int c = 0; c < 3; ++c) {
      const int bits = c == 1 ? 6 : 5, at = c == 0 ? 11 : c == 1 ? 5 : 0;
      c0 |= static_cast<uint64_t>(value(high[c], (1 << bits) - 1)) << at;
      c1 |= static_cast<uint64_t>(value(low[c], (1 << bits) - 1)) << at;
    }
    return std::max(c0, c1) | std::min(c0, c1) << 16;
  }
  // Levels of texel i by rank. `n`: the errors of its neighbours, which move the prediction.
  Ranked predicted(uint64_t ends, const Pixels& pixels, int i, int n = 0) const {
    const int last = steps(ends);
    int64_t a = 0, l = 0;
    for (int c = 0; c < channels(); ++c) {
      const int64_t e0 = end_point(ends, 0, c), e1 = end_point(ends, 1, c);
      a += (e1 - e0) * (pixels[c][i] - e0);
      l += (e1 - e0) * (e1 - e0);
    }
    a *= 2 * last;
    a = 4 * a + 3 * n * l;
    int level = 0;
    for (int k = 0; k < last; ++k) level += a > 4 * (2 * k + 1) * l ? 1 : 0;
    return by_rank(level, a > 8 * level * l, last, levels());
  }
};

}  // namespace oracle
