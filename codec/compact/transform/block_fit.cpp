#include "compact/block_fit.h"

#include <array>

#include "compact/lossy_prediction.h"
#include "compact/ranks.h"
#include "transform_kernels.h"

namespace texcast::compact {
namespace {

// Blocks whose texels differ by no more have no error with their extremes as end points: the values of the palette are
// all values between them.
constexpr int kExactRange = 7;

struct Extremes {
  int least, most;
};
Extremes extremes_of(U8x16 texels) {
  // The smallest texels and the smallest inverted ones, side by side in eight bytes each.
  const auto inverted = reinterpret_cast<U64x2>(~texels), straight = reinterpret_cast<U64x2>(texels);
  auto least = smaller(reinterpret_cast<U8x16>(__builtin_shufflevector(straight, inverted, 0, 2)),
                       reinterpret_cast<U8x16>(__builtin_shufflevector(straight, inverted, 1, 3)));
  for (const int bits : {32, 16, 8}) {
    least = smaller(least, reinterpret_cast<U8x16>(reinterpret_cast<U64x2>(least) >> bits));
  }
  const auto both = reinterpret_cast<U64x2>(least);
  return {static_cast<int>(both[0] & 255), 255 - static_cast<int>(both[1] & 255)};
}

// Levels as those of fit_kernel.h, for all texels of a block whose range is at most kExactRange.
uint64_t exact_fit(U8x16 wanted, const Extremes& ends) {
  const auto range = static_cast<uint16_t>(ends.most - ends.least);
  // 2^16 / (2 range), rounded up.
  static constexpr std::array<uint16_t, kExactRange + 1> kReciprocals{0, 32768, 16384, 10923, 8192, 6554, 5462, 4682};
  const U8x16 above = wanted - filled(ends.least);
  const U16x8 reciprocal = U16x8{} + kReciprocals[range];
  const auto before = static_cast<uint16_t>(range - 1);
  const U16x8 low = reinterpret_cast<U16x8>(mix_low(above, U8x16{})) * uint16_t{14} + before;
  const U16x8 high = reinterpret_cast<U16x8>(mix_high(above, U8x16{})) * uint16_t{14} + before;
  const U8x16 levels = low_bytes(multiply_high(low, reciprocal), multiply_high(high, reciprocal));
  const uint64_t indices = packed<ChannelSubBlock>(indices_of_levels<ChannelSubBlock>(filled(7) - levels, 7));
  return indices << ChannelSubBlock::kEndPointBits | static_cast<uint64_t>(ends.most | ends.least << 8);
}

// Whether a block needs no search for the best end points; then `sub_block` is its fit.
inline bool is_simple(U8x16 wanted, uint64_t& sub_block) {
  const Extremes ends = extremes_of(wanted);
  if (ends.most - ends.least > kExactRange) return false;
  sub_block = ends.most == ends.least ? static_cast<uint64_t>(ends.least | ends.least << 8) : exact_fit(wanted, ends);
  return true;
}

}  // namespace

void fit_blocks(const U8x16* wanted, int count, FittedBlock* fitted) {
  constexpr int kBatch = 16;
  std::array<U8x16, kBatch> others{}, texels;
  std::array<uint64_t, kBatch> sub_blocks;
  std::array<int, kBatch> places;
  size_t waiting = 0;
  for (int i = 0; i < count; ++i) {
    if (uint64_t simple = 0; is_simple(wanted[i], simple)) {
      fitted[i] = {simple, wanted[i]};
    } else {
      others[waiting] = wanted[i];
      places[waiting++] = i;
    }
    if (waiting == 0 || (waiting < kBatch && i + 1 < count)) continue;
    transform_kernels().fit(others.data(), static_cast<int>(waiting), sub_blocks.data(), texels.data());
    for (size_t k = 0; k < waiting; ++k) fitted[places[k]] = {sub_blocks[k], texels[k]};
    waiting = 0;
  }
}

void FitQueue::add(U8x16 wanted, std::byte* to) {
  if (uint64_t simple = 0; is_simple(wanted, simple)) return store_sub_block(to, simple);
  wanted_[static_cast<size_t>(count_)] = wanted;
  places_[static_cast<size_t>(count_)] = to;
  if (++count_ == kMost) fit();
}

void FitQueue::fit() {
  std::array<uint64_t, kMost> sub_blocks;
  transform_kernels().fit(wanted_.data(), count_, sub_blocks.data(), nullptr);
  for (size_t i = 0; i < static_cast<size_t>(count_); ++i) store_sub_block(places_[i], sub_blocks[i]);
  count_ = 0;
}

FittedBlock fit_block(U8x16 wanted) {
  FittedBlock fitted;
  fit_blocks(&wanted, 1, &fitted);
  return fitted;
}

U8x16 nearest_texels(uint64_t sub_block) {
  const auto first = static_cast<uint16_t>(sub_block & 255), second = static_cast<uint16_t>(sub_block >> 8 & 255);
  const bool full = first > second;
  const auto steps = static_cast<uint16_t>(ChannelSubBlock::steps(full));
  // A seventh or a fifth, rounded down: exact for all numbers that occur.
  const uint16_t reciprocals[2] = {13108, 9363};
  const U16x8 reciprocal = U16x8{} + reciprocals[full];
  const auto slope = static_cast<uint16_t>(second - first), base = static_cast<uint16_t>(first * steps + steps / 2);
  const U8x16 levels = level_vector<ChannelSubBlock>(sub_block, full);
  const U16x8 low = reinterpret_cast<U16x8>(mix_low(levels, U8x16{})) * slope + base;
  const U16x8 high = reinterpret_cast<U16x8>(mix_high(levels, U8x16{})) * slope + base;
  const U16x8 low_values = multiply_high(low, reciprocal), high_values = multiply_high(high, reciprocal);
  if (full) return low_bytes(low_values, high_values);
  // Level 6 has the value 0, level 7 the value 255; those computed may have more than eight bits.
  const U8x16 texels = low_bytes(low_values & uint16_t{255}, high_values & uint16_t{255});
  return (texels & ~reinterpret_cast<U8x16>(levels == 6)) | reinterpret_cast<U8x16>(levels == 7);
}

}  // namespace texcast::compact
