// Compares the distortion of levels, computed 16 texels at a time, with that of single texels.
#include "compact/level_distortion.h"

#include <doctest/doctest.h>

#include <random>

#include "capture_bound.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

template <typename SubBlock>
void check_distortion(SubBlockKind kind) {
  std::mt19937 random(static_cast<uint32_t>(kind) + 1);
  for (int round = 0; round < 3000; ++round) {
    CAPTURE_BOUND(round);
    // Sometimes there are only few different values, so that levels are equally near.
    const uint32_t mask = round % 3 == 0 ? 0x1111FF1Fu : 0xFFFFFFFFu;
    const auto ends = static_cast<uint32_t>(random() & mask & ((uint64_t{1} << SubBlock::kEndPointBits) - 1));
    BlockTexels<SubBlock> source;
    uint8_t texels[16][4]{};
    alignas(16) uint8_t bytes[16 * PredictionBlock<SubBlock>::kTexelBytes]{};
    for (int i = 0; i < 16; ++i)
      for (int c = 0; c < SubBlock::kChannels; ++c)
        bytes[i * PredictionBlock<SubBlock>::kTexelBytes + c] = texels[i][c] = static_cast<uint8_t>(random() & mask);
    source.load(bytes);
    uint8_t palette[SubBlock::kChannels][SubBlock::kLevels];
    palette_of<SubBlock>(kind, ends, palette);
    const auto distortion_of = [&](int i, int level) {
      int sum = 0;
      for (int c = 0; c < SubBlock::kChannels; ++c)
        sum += (palette[c][level] - texels[i][c]) * (palette[c][level] - texels[i][c]);
      return sum;
    };
    LevelDistortion<SubBlock> distortion;
    distortion.measure(kind, ends, source);
    distortion.find_nearest();
    alignas(16) Levels levels;
    int least = 0, sum = 0;
    std::array<int, SubBlock::kLevels> of_all{};
    for (int i = 0; i < 16; ++i) {
      int nearest = 0;
      for (int level = 0; level < SubBlock::kLevels; ++level) {
        REQUIRE(distortion.at(i, level) == distortion_of(i, level));
        if (distortion_of(i, level) < distortion_of(i, nearest)) nearest = level;
        of_all[level] += distortion_of(i, level);
      }
      REQUIRE(int{distortion.nearest[i]} == nearest);
      REQUIRE(distortion.of_nearest(i) == distortion_of(i, nearest));
      least += distortion_of(i, nearest);
      levels[i] = static_cast<uint8_t>(random() % SubBlock::kLevels);
      sum += distortion_of(i, levels[i]);
    }
    REQUIRE(distortion.least == least);
    REQUIRE(distortion.sum(load_vector<U8x16>(levels.data())) == sum);
    for (int level = 0; level < SubBlock::kLevels; ++level) REQUIRE(distortion.sum_of_all(level) == of_all[level]);
    const uint64_t sub_block = with_levels<SubBlock>(ends, levels, SubBlock::full(kind, ends));
    REQUIRE(squared_error_of(BlockTexels<SubBlock>(kind, sub_block), source) == sum);
  }
}

}  // namespace

TEST_CASE("level distortion: channels") { check_distortion<ChannelSubBlock>(SubBlockKind::channel); }
TEST_CASE("level distortion: colours") {
  check_distortion<ColorSubBlock>(SubBlockKind::color);
  check_distortion<ColorSubBlock>(SubBlockKind::four_color);
}
