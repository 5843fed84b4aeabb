#include <algorithm>

#include "bc6h_block.h"
#include "ref/bc6h.h"

namespace texcast::ref {
namespace {

constexpr std::array<Bc6hMode, kBc6hModes> make_bc6h_modes() {
  constexpr int kRows[][7] = {TEXCAST_BC6H_MODES};
  std::array<Bc6hMode, kBc6hModes> modes{};
  for (size_t m = 0; m < kBc6hModes; ++m) {
    const auto& row = kRows[m];
    modes[m] = {static_cast<uint8_t>(row[0]), row[1], row[2], row[3], {row[4], row[5], row[6]}};
  }
  return modes;
}
constexpr auto kHalfModes = make_bc6h_modes();

constexpr uint16_t kHalfRuns[kBc6hModes][TEXCAST_BC6H_MOST_RUNS] = {TEXCAST_BC6H_FIELDS(TEXCAST_BC6H_RUN)};
constexpr uint16_t kHalfRegions[32] = {TEXCAST_BC6H_REGIONS};
constexpr uint8_t kHalfAnchors[32] = {TEXCAST_BC6H_ANCHORS};
constexpr int kWeights8[8] = {0, 9, 18, 27, 37, 46, 55, 64};
constexpr int kWeights16[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

// Reads bits of a block from the lowest of its first byte on.
class BlockBits {
 public:
  explicit BlockBits(std::span<const uint8_t, 16> block) : block_(block) {}
  int take(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i, ++at_) value |= (block_[at_ / 8] >> (at_ % 8) & 1) << i;
    return value;
  }

 private:
  std::span<const uint8_t, 16> block_;
  size_t at_ = 0;
};

// The mode's number, after which `bits` is past it; kBc6hModes if it is reserved.
size_t take_mode(BlockBits& bits) {
  int value = bits.take(2);
  if (value >= 2) value |= bits.take(3) << 2;
  const auto found = std::ranges::find_if(kHalfModes, [&](const Bc6hMode& mode) { return mode.bits == value; });
  return static_cast<size_t>(found - kHalfModes.begin());
}

int with_half_sign(int value, int bits) { return value - ((value >> (bits - 1) & 1) << bits); }

}  // namespace

const Bc6hMode& bc6h_mode(size_t mode) { return kHalfModes[mode]; }

Bc6hRun bc6h_run(size_t mode, size_t index) {
  if (index >= TEXCAST_BC6H_MOST_RUNS) return {};
  const int run = kHalfRuns[mode][index];
  return {run >> 8, run >> 4 & 15, run & 15};
}

bool in_second_region(int partition, size_t texel) {
  return (kHalfRegions[static_cast<size_t>(partition)] >> texel & 1) != 0;
}
size_t second_anchor(int partition) { return kHalfAnchors[static_cast<size_t>(partition)]; }

int bc6h_unquantize(int code, int precision, bool is_signed) {
  if (is_signed) {
    if (precision >= 16) return code;
    const int size = code < 0 ? -code : code;
    const int value = size == 0                            ? 0
                      : size >= (1 << (precision - 1)) - 1 ? 0x7FFF
                                                           : ((size << 15) + 0x4000) >> (precision - 1);
    return code < 0 ? -value : value;
  }
  if (precision >= 15 || code == 0) return code;
  if (code == (1 << precision) - 1) return 0xFFFF;
  return ((code << 16) + 0x8000) >> precision;
}

int bc6h_weight(int index, int steps) {
  return steps == 15 ? kWeights16[static_cast<size_t>(index)] : kWeights8[static_cast<size_t>(index)];
}

int bc6h_interpolate(int from, int to, int index, int steps, bool is_signed) {
  const int weight = bc6h_weight(index, steps);
  const int value = ((64 - weight) * from + weight * to + 32) >> 6;
  if (!is_signed) return (value * 31) >> 6;
  return value < 0 ? -((-value * 31) >> 5) : (value * 31) >> 5;
}

HalfBlock decode_bc6h(std::span<const uint8_t, 16> block, bool is_signed) {
  BlockBits bits(block);
  const size_t number = take_mode(bits);
  if (number == kBc6hModes) return {};
  const Bc6hMode& mode = kHalfModes[number];
  std::array<std::array<int, 3>, 4> ends{};
  for (size_t i = 0; bc6h_run(number, i).bits > 0; ++i) {
    const Bc6hRun run = bc6h_run(number, i);
    ends[static_cast<size_t>(run.number / 3)][static_cast<size_t>(run.number % 3)] |= bits.take(run.bits) << run.first;
  }
  const int partition = mode.regions == 2 ? bits.take(5) : 0;
  for (size_t c = 0; c < 3; ++c) {
    if (is_signed) ends[0][c] = with_half_sign(ends[0][c], mode.precision);
    for (size_t e = 1; e < 4; ++e) {
      if (is_signed || mode.has_differences()) ends[e][c] = with_half_sign(ends[e][c], mode.to_base[c]);
      if (!mode.has_differences()) continue;
      ends[e][c] = (ends[0][c] + ends[e][c]) & ((1 << mode.precision) - 1);
      if (is_signed) ends[e][c] = with_half_sign(ends[e][c], mode.precision);
    }
  }
  HalfBlock texels{};
  for (size_t i = 0; i < 16; ++i) {
    const size_t region = mode.regions == 2 && in_second_region(partition, i) ? 1 : 0;
    const bool is_anchor = i == 0 || (region == 1 && i == second_anchor(partition));
    const int index = bits.take((mode.regions == 1 ? 4 : 3) - (is_anchor ? 1 : 0));
    for (size_t c = 0; c < 3; ++c)
      texels[i][c] = bc6h_interpolate(bc6h_unquantize(ends[2 * region][c], mode.precision, is_signed),
                                      bc6h_unquantize(ends[2 * region + 1][c], mode.precision, is_signed), index,
                                      mode.steps(), is_signed);
  }
  return texels;
}

}  // namespace texcast::ref
