// Compares levels, ranks and pairs of 16 texels at a time with those of single texels in sub_block.h, prediction.h and
// slice_syntax.h.
#include "compact/ranks.h"

#include <doctest/doctest.h>

#include <random>

namespace texcast::compact {
namespace {

std::array<uint8_t, 16> bytes_of(U8x16 v) {
  std::array<uint8_t, 16> bytes;
  store_vector(bytes.data(), v);
  return bytes;
}

template <typename SubBlock>
void check_ranks() {
  std::mt19937_64 random(3);
  size_t wrong = 0;
  for (int n = 0; n < 20000; ++n) {
    const bool full = n % 2 == 0;
    const int steps = SubBlock::steps(full);
    const uint64_t sub_block = n % 50 == 0 ? 0 : n % 50 == 1 ? ~uint64_t{0} : random();
    const Levels levels = levels_of<SubBlock>(sub_block, full);
    const U8x16 level_bytes = level_vector<SubBlock>(sub_block, full);
    wrong += bytes_of(level_bytes) != levels;

    std::array<uint8_t, 16> codes, ranks;
    for (int i = 0; i < 16; ++i) {
      codes[i] = static_cast<uint8_t>(random() % static_cast<uint64_t>(2 * steps + 2));
      ranks[i] = kRankTable<SubBlock>.rank[full][codes[i] >> 1][codes[i] & 1][levels[i]];
    }
    const U8x16 rank_bytes = rank_vector<SubBlock>(load_vector<U8x16>(codes.data()), level_bytes, full);
    wrong += bytes_of(rank_bytes) != ranks;
    uint32_t far = 0;
    for (int i = 0; i < 16; ++i) far |= static_cast<uint32_t>(ranks[i] >= 2) << i;
    wrong += mask_from(rank_bytes, filled(2)) != far;

    const Pairs pairs = pairs_of_ranks(rank_bytes);
    const Pairs of_levels = pairs_of_levels(level_bytes);
    for (int pair = 0; pair < 8; ++pair) {
      const int first = std::min<int>(ranks[2 * pair], kPairLimit),
                second = std::min<int>(ranks[2 * pair + 1], kPairLimit);
      wrong += pairs.symbol[pair] != first * 4 + second;
      wrong += pairs.context[pair] + context::kRanks.first != rank_context(0, pair, ranks.data());
      if (SubBlock::kLevels > 4) continue;
      wrong += of_levels.symbol[pair] != levels[2 * pair] * 4 + levels[2 * pair + 1];
      wrong += of_levels.context[pair] + context::kLevels.first != level_pair_context(pair, levels.data());
    }

    const auto guesses = bytes_of(predicted_intra_levels(level_bytes, steps));
    for (int i = 0; i < 16; ++i) wrong += guesses[i] != predicted_intra_level(levels.data(), i, steps);
  }
  CHECK(wrong == 0);
}

TEST_CASE("vectors of ranks: colours") { check_ranks<ColorSubBlock>(); }
TEST_CASE("vectors of ranks: channels") { check_ranks<ChannelSubBlock>(); }

}  // namespace
}  // namespace texcast::compact
