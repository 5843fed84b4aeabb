#include "astc_likely.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>

#include "astc_partition.h"
#include "base/ensure.h"

namespace texcast::ref {
namespace {

// Chosen greedily over photographs, video and a desktop: each entry is the one that reduces the residual error of the
// previous ones most, by the estimates of astc_choose.cpp. A grid is ten times its width plus its height. Grids that
// are not listed follow, the finest first, and so do the other seeds in their order.
struct Likely {
  int side;
  std::span<const uint8_t> single, dual, pair;
  std::span<const uint16_t> seeds;
};

constexpr std::array<uint8_t, 8> kSingle4 = {44, 43, 34, 42, 24, 33, 32, 23};
constexpr std::array<uint8_t, 9> kDual4 = {44, 43, 34, 42, 24, 33, 32, 23, 22};
constexpr std::array<uint8_t, 8> kPair4 = {44, 24, 34, 43, 42, 33, 23, 32};
constexpr std::array<uint16_t, 128> kSeeds4 = {
    17,  28,  39,  43,  20,   78,   69,  210, 246, 374, 5,   359, 198, 10,  324, 24,  307,  61,  68,  389, 510, 156,
    116, 149, 16,  601, 49,   993,  534, 196, 226, 248, 53,  999, 66,  89,  799, 964, 4,    812, 549, 33,  325, 694,
    207, 695, 62,  828, 183,  137,  443, 770, 73,  281, 801, 18,  319, 479, 29,  355, 881,  2,   593, 8,   195, 888,
    99,  50,  204, 681, 44,   567,  139, 594, 766, 476, 684, 915, 373, 71,  252, 426, 143,  30,  672, 184, 976, 194,
    796, 818, 553, 581, 919,  1006, 107, 90,  412, 114, 76,  453, 478, 72,  441, 284, 1016, 542, 142, 807, 504, 293,
    638, 36,  789, 731, 1013, 314,  756, 161, 21,  75,  802, 83,  821, 600, 239, 890, 615,  124};

constexpr std::array<uint8_t, 12> kSingle5 = {55, 45, 54, 53, 35, 44, 25, 52, 43, 34, 33, 42};
constexpr std::array<uint8_t, 14> kDual5 = {52, 44, 25, 43, 34, 33, 35, 53, 24, 42, 32, 45, 23, 54};
constexpr std::array<uint8_t, 14> kPair5 = {35, 25, 54, 44, 53, 45, 55, 52, 34, 43, 24, 42, 33, 23};
constexpr std::array<uint16_t, 128> kSeeds5 = {
    256, 28,  31,  60,  81,  145, 16,  694, 275, 466, 72,  120, 986, 43,  8,   67,  149,  697, 601, 496, 62,  300,
    501, 78,  224, 961, 714, 359, 182, 246, 153, 722, 361, 455, 699, 10,  739, 840, 548,  113, 799, 137, 73,  286,
    559, 709, 198, 930, 111, 132, 289, 318, 17,  239, 529, 600, 534, 188, 993, 240, 183,  207, 30,  280, 261, 5,
    281, 929, 782, 150, 479, 774, 509, 851, 209, 521, 887, 616, 692, 549, 257, 99,  469,  465, 724, 355, 185, 217,
    454, 530, 941, 356, 579, 593, 625, 561, 792, 503, 53,  569, 351, 590, 806, 473, 1016, 29,  25,  505, 684, 812,
    200, 502, 546, 374, 830, 389, 91,  100, 303, 44,  210, 324, 317, 609, 871, 39,  249,  298};

constexpr std::array<uint8_t, 15> kSingle6 = {66, 55, 46, 64, 56, 65, 63, 36, 54, 45, 26, 53, 62, 35, 44};
constexpr std::array<uint8_t, 11> kDual6 = {53, 34, 62, 25, 43, 52, 35, 33, 26, 44, 42};
constexpr std::array<uint8_t, 14> kPair6 = {26, 54, 45, 63, 36, 53, 55, 62, 35, 44, 52, 34, 46, 56};
constexpr std::array<uint16_t, 128> kSeeds6 = {
    19,   78,  28,  136,  132, 116, 62,  60,  77,  210, 191, 47,  452, 817, 67,  272, 496, 51,  43,  16,  198, 363,
    1016, 403, 740, 286,  797, 726, 29,  993, 414, 572, 366, 36,  999, 91,  611, 665, 487, 633, 266, 2,   107, 225,
    601,  17,  534, 691,  533, 474, 697, 527, 439, 578, 240, 129, 232, 264, 475, 9,   281, 684, 128, 480, 476, 27,
    24,   869, 407, 470,  955, 786, 355, 229, 674, 249, 546, 326, 361, 15,  83,  61,  553, 543, 886, 756, 125, 319,
    583,  273, 458, 1006, 902, 763, 799, 554, 4,   499, 854, 411, 220, 178, 639, 5,   66,  368, 14,  53,  719, 596,
    964,  934, 959, 292,  893, 828, 10,  267, 190, 374, 798, 912, 341, 714, 690, 870, 103, 402};

constexpr std::array<uint8_t, 31> kSingle8 = {48, 88, 74, 56, 28, 86, 68, 83, 67, 55, 57, 75, 66, 47, 87, 64,
                                              82, 46, 73, 76, 84, 65, 38, 78, 58, 85, 63, 37, 54, 77, 45};
constexpr std::array<uint8_t, 5> kDual8 = {53, 34, 62, 43, 26};
constexpr std::array<uint8_t, 6> kPair8 = {28, 88, 45, 82, 36, 54};
constexpr std::array<uint16_t, 128> kSeeds8 = {
    28,  60,  209, 120, 400, 20,   118, 19,  740,  43,  137, 993, 156, 155,  806,  182,  113, 224, 596, 534, 124, 499,
    697, 24,  879, 451, 200, 331,  136, 36,  1016, 799, 854, 9,   769, 116,  986,  593,  793, 260, 414, 29,  980, 232,
    371, 280, 351, 77,  78,  940,  10,  609, 805,  318, 502, 783, 601, 1006, 281,  32,   888, 72,  198, 722, 48,  350,
    240, 66,  404, 210, 684, 1019, 476, 231, 17,   830, 218, 627, 389, 578,  361,  50,   337, 949, 420, 533, 479, 760,
    481, 91,  786, 353, 188, 402,  153, 338, 86,   828, 927, 246, 548, 443,  1018, 1021, 670, 16,  999, 239, 454, 220,
    518, 521, 68,  8,   908, 935,  594, 929, 39,   956, 817, 154, 569, 152,  286,  545,  792, 650};

constexpr std::array kLikely = {
    Likely{4, kSingle4, kDual4, kPair4, kSeeds4},
    Likely{5, kSingle5, kDual5, kPair5, kSeeds5},
    Likely{6, kSingle6, kDual6, kPair6, kSeeds6},
    Likely{8, kSingle8, kDual8, kPair8, kSeeds8},
};

const Likely& likely(int side) {
  const auto row = std::ranges::find(kLikely, side, &Likely::side);
  ENSURE(row != kLikely.end());
  return *row;
}

}  // namespace

std::vector<std::pair<int, int>> astc_likely_grids(int side, int planes, int partitions) {
  const Likely& row = likely(side);
  std::vector<std::pair<int, int>> grids, others;
  for (const int grid : planes == 2 ? row.dual : partitions == 2 ? row.pair : row.single)
    grids.emplace_back(grid / 10, grid % 10);
  for (int width = 2; width <= side; ++width)
    for (int height = 2; height <= side; ++height)
      if (std::ranges::find(grids, std::pair(width, height)) == grids.end()) others.emplace_back(width, height);
  std::ranges::stable_sort(others, {}, [](const auto& grid) { return -grid.first * grid.second; });
  grids.insert(grids.end(), others.begin(), others.end());
  return grids;
}

std::vector<int> astc_likely_seeds(int side) {
  std::vector<int> seeds;
  std::set<uint64_t> seen;
  const uint64_t all = ~uint64_t{0} >> (64 - side * side);
  const auto take = [&](int seed) {
    const uint64_t second = astc_second_part(seed, side);
    if (second == 0 || second == all || seen.contains(second) || seen.contains(all & ~second)) return;
    seen.insert(second);
    seeds.push_back(seed);
  };
  for (const int seed : likely(side).seeds) take(seed);
  for (int seed = 0; seed < 1024; ++seed) take(seed);
  return seeds;
}

}  // namespace texcast::ref
