// What levels lose, 16 texels at a time, against the values that the levels have.
#include "compact/level_losses.h"

#include <doctest/doctest.h>

#include <random>

#include "capture_bound.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

template <typename SubBlock>
void check_losses(SubBlockKind kind) {
  std::mt19937 random(static_cast<uint32_t>(kind) + 1);
  for (int round = 0; round < 3000; ++round) {
    CAPTURE_BOUND(round);
    // Now and then of few different values, so that levels are as near as others.
    const uint32_t mask = round % 3 == 0 ? 0x1111FF1Fu : 0xFFFFFFFFu;
    const auto ends = static_cast<uint32_t>(random() & mask & ((uint64_t{1} << SubBlock::kEndPointBits) - 1));
    BlockTexels<SubBlock> source;
    uint8_t texels[16][4]{};
    alignas(16) uint8_t bytes[16 * Window<SubBlock>::kTexelBytes]{};
    for (int i = 0; i < 16; ++i)
      for (int c = 0; c < SubBlock::kChannels; ++c)
        bytes[i * Window<SubBlock>::kTexelBytes + c] = texels[i][c] = static_cast<uint8_t>(random() & mask);
    source.load(bytes);
    uint8_t palette[SubBlock::kChannels][SubBlock::kLevels];
    palette_of<SubBlock>(kind, ends, palette);
    const auto loss_of = [&](int i, int level) {
      int sum = 0;
      for (int c = 0; c < SubBlock::kChannels; ++c)
        sum += (palette[c][level] - texels[i][c]) * (palette[c][level] - texels[i][c]);
      return sum;
    };
    Losses<SubBlock> losses;
    losses.measure(kind, ends, source);
    losses.find_nearest();
    alignas(16) Levels levels;
    int least = 0, sum = 0;
    std::array<int, SubBlock::kLevels> of_all{};
    for (int i = 0; i < 16; ++i) {
      int nearest = 0;
      for (int level = 0; level < SubBlock::kLevels; ++level) {
        REQUIRE(losses.at(i, level) == loss_of(i, level));
        if (loss_of(i, level) < loss_of(i, nearest)) nearest = level;
        of_all[level] += loss_of(i, level);
      }
      REQUIRE(int{losses.nearest[i]} == nearest);
      REQUIRE(losses.of_nearest(i) == loss_of(i, nearest));
      least += loss_of(i, nearest);
      levels[i] = static_cast<uint8_t>(random() % SubBlock::kLevels);
      sum += loss_of(i, levels[i]);
    }
    REQUIRE(losses.least == least);
    REQUIRE(losses.sum(load_vector<U8x16>(levels.data())) == sum);
    for (int level = 0; level < SubBlock::kLevels; ++level) REQUIRE(losses.sum_of_all(level) == of_all[level]);
    const uint64_t half = with_levels<SubBlock>(ends, levels, SubBlock::full(kind, ends));
    REQUIRE(difference_of(BlockTexels<SubBlock>(kind, half), source) == sum);
  }
}

}  // namespace

TEST_CASE("losses of levels: of channels") { check_losses<ChannelSubBlock>(SubBlockKind::channel); }
TEST_CASE("losses of levels: of colours") {
  check_losses<ColorSubBlock>(SubBlockKind::color);
  check_losses<ColorSubBlock>(SubBlockKind::four_color);
}
