#include "astc_write.h"

#include <vector>

#include "astc_bits.h"
#include "astc_integers.h"
#include "astc_ranges.h"
#include "base/ensure.h"

namespace texcast::ref::astc {
namespace {

// Writes integers of a range from bit `first` on: the low bits of each, then its share of the group's packed digits.
void put_sequence(const Tables& tables, int range, std::span<const int> values, int first, AstcBlock& block) {
  const int bits = tables.range_bits(range), digits = tables.range_digits(range);
  const size_t group = digits == 3 ? 5 : digits == 5 ? 3 : 1;
  const std::span<const int> shares =
      digits == 3 ? std::span<const int>(kAstcTritBits) : std::span<const int>(kAstcQuintBits);
  int at = first;
  const int end = first + astc_sequence_bits(static_cast<int>(values.size()), range);
  for (size_t begin = 0; begin < values.size(); begin += group) {
    int number = 0;
    for (size_t i = group; i-- > 0;)
      number = number * digits + (begin + i < values.size() ? values[begin + i] >> bits : 0);
    int packed = digits == 3 ? tables.trits(number) : digits == 5 ? tables.quints(number) : 0;
    for (size_t i = 0; i < group && begin + i < values.size(); ++i) {
      put_bits(block, at, bits, values[begin + i] & ((1 << bits) - 1));
      at += bits;
      if (digits == 0) continue;
      put_bits(block, at, shares[i], packed & ((1 << shares[i]) - 1));
      at += shares[i];
      packed >>= shares[i];
    }
  }
  ENSURE(at == end);
}

// The integer that stores a step: its lowest bit selects the end from which it is counted; the digit and the other bits
// follow.
int step_code(const Tables& tables, int range, int step) {
  const int bits = tables.range_bits(range), digits = tables.range_digits(range), last = tables.last_step(range);
  if (digits == 0 || bits == 0) return step;
  const int is_upper = step > last / 2 ? 1 : 0, number = is_upper ? last - step : step;
  return number % digits << bits | number / digits << 1 | is_upper;
}

}  // namespace

AstcBlock write(const Tables& tables, const Fitted& fitted) {
  const Layout layout = tables.layout(fitted.choice.layout);
  const int planes = planes_of(fitted.choice.kind), partitions = partitions_of(fitted.choice.kind);
  const size_t weights = static_cast<size_t>(layout.width * layout.height * planes);
  // Partitions may be reversed independently, so each texel has its own weight.
  const uint64_t second = partitions == 2 ? tables.partition(fitted.choice.parameter) : 0;
  AstcBlock block{}, turned{};
  std::vector<int> codes;
  const int last = tables.last_step(layout.weight_range);
  for (size_t i = 0; i < weights; ++i) {
    const int step = fitted.steps[i];
    const bool is_turned = fitted.ends[second >> i & 1].is_turned;
    codes.push_back(step_code(tables, layout.weight_range, is_turned ? last - step : step));
  }
  put_sequence(tables, layout.weight_range, codes, 0, turned);
  for (int i = 0; i < 128; ++i) put_bits(block, 127 - i, 1, bits_at(turned, i, 1));
  put_bits(block, 0, 11, layout.mode);
  put_bits(block, 11, 2, partitions - 1);
  const int mode = fitted.ends[0].mode;
  if (partitions == 2) {
    put_bits(block, 13, 10, tables.seed(fitted.choice.parameter));
    put_bits(block, 23, 6, mode << 2);
  } else {
    put_bits(block, 13, 4, mode);
  }
  if (planes == 2) {
    const int top = 128 - astc_sequence_bits(static_cast<int>(weights), layout.weight_range);
    put_bits(block, top - 2, 2, fitted.choice.parameter);
  }
  std::vector<int> colors;
  for (int p = 0; p < partitions; ++p) {
    const auto& stored = fitted.ends[static_cast<size_t>(p)].codes;
    colors.insert(colors.end(), stored.begin(), stored.begin() + 2 * (mode / 4) + 2);
  }
  put_sequence(tables, layout.color_range, colors, partitions == 2 ? 29 : 17, block);
  return block;
}

AstcBlock write_flat(const AstcRgba& color) {
  AstcBlock block{};
  put_bits(block, 0, 12, 0xDFC);
  for (int i = 12; i < 64; ++i) put_bits(block, i, 1, 1);
  for (size_t c = 0; c < 4; ++c) put_bits(block, 64 + 16 * static_cast<int>(c), 16, color[c] * 257);
  return block;
}

}  // namespace texcast::ref::astc
