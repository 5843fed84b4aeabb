// Positions of sub-blocks in the reference frame, and motion candidates of tiles, independent of any order.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "compact/motion_search.h"

namespace texcast::compact {
namespace {

using Position = std::pair<int, int>;  // x, y

std::vector<Position> found(const SubBlockIndex& index, uint64_t sub_block) {
  std::vector<Position> at;
  index.find(sub_block, [&](int x, int y) { at.emplace_back(x, y); });
  return at;
}

Component component_of(int blocks_x, int blocks_y) {
  Component component;
  component.kind = SubBlockKind::color;
  component.blocks_x = blocks_x;
  component.blocks_y = blocks_y;
  return component;
}

TEST_CASE("sub-block index: the last position of each way is found for a sub-block that is everywhere") {
  const Component component = component_of(40, 30);
  SubBlockIndex index(component);
  std::vector<int> ways(SubBlockIndex::kWays);
  std::iota(ways.begin(), ways.end(), 0);
  std::ranges::shuffle(ways, std::mt19937(1));
  std::vector<Position> last(SubBlockIndex::kWays);
  for (const int way : ways)
    for (int y = 0; y < 30; ++y)
      for (int x = 0; x < 40; ++x)
        if (SubBlockIndex::way_of(x, y) == way) {
          index.put(7, x, y);
          last[static_cast<size_t>(way)] = {x, y};
        }
  CHECK(found(index, 7) == last);
  CHECK(found(index, 8).empty());
}

TEST_CASE("sub-block index: a later position overwrites the slot, wherever it is") {
  SubBlockIndex index(component_of(40, 30));
  index.put(7, 35, 29);
  CHECK(found(index, 7) == std::vector<Position>{{35, 29}});
  REQUIRE(SubBlockIndex::way_of(3, 5) == SubBlockIndex::way_of(35, 29));
  index.put(7, 3, 5);
  CHECK(found(index, 7) == std::vector<Position>{{3, 5}});
}

// Two frames, each larger than a tile, in which all sub-blocks are different.
struct Frames {
  Component component = component_of(48, 24);
  BlockRect tile{16, 8, 32, 16};
  std::vector<std::byte> reference = std::vector<std::byte>(size_t{48} * 24 * 8), source = reference;
  SubBlockIndex index{component};
  Frames() {
    std::mt19937_64 random(5);
    for (int y = 0; y < 24; ++y) {
      for (int x = 0; x < 48; ++x) {
        const uint64_t sub_block = random();
        store_sub_block(reference.data() + component.at(x, y), sub_block);
        store_sub_block(source.data() + component.at(x, y), sub_block);
        index.put(sub_block, x, y);
      }
    }
  }
  void move(int x, int y, int from_x, int from_y) {
    store_sub_block(source.data() + component.at(x, y),
                    load_sub_block(reference.data() + component.at(from_x, from_y)));
  }
  MotionCandidates find_candidates() const {
    const TileChanges changes = changes_of(component, tile, source.data(), reference.data());
    return compact::find_candidates(component, tile, changes, source.data(), reference.data(), index);
  }
};

TEST_CASE("motion candidates: the two vectors with the most matches in changed sub-blocks") {
  Frames frames;
  CHECK(frames.find_candidates()[0].matches == 0);  // nothing changed
  for (int x = 16; x < 32; ++x) frames.move(x, 9, x - 5, 12);
  for (int x = 16; x < 24; ++x) frames.move(x, 11, x + 9, 3);
  frames.move(28, 14, 1, 1);
  const MotionCandidates candidates = frames.find_candidates();
  CHECK(candidates[0].vector == MotionVector{-5, 3});
  CHECK(candidates[0].matches == 8);  // every second one is a sample
  CHECK(candidates[1].vector == MotionVector{9, -8});
  CHECK(candidates[1].matches == 4);
}

TEST_CASE(
    "motion candidates: with equal matches the shorter vector comes first, then the upper one, then the left one") {
  const auto first_two = [](std::initializer_list<MotionVector> vectors) {
    Frames frames;
    int x = 16;
    for (const MotionVector& v : vectors) {
      frames.move(x, 10, x + v.x, 10 + v.y);
      x += 2;
    }
    const MotionCandidates candidates = frames.find_candidates();
    return std::pair(candidates[0].vector, candidates[1].vector);
  };
  CHECK(first_two({{6, 2}, {1, 2}, {7, 7}}) == std::pair(MotionVector{1, 2}, MotionVector{6, 2}));
  CHECK(first_two({{7, 7}, {6, 2}, {1, 2}}) == std::pair(MotionVector{1, 2}, MotionVector{6, 2}));
  CHECK(first_two({{2, 1}, {1, -2}, {1, 2}}) == std::pair(MotionVector{1, -2}, MotionVector{2, 1}));
  CHECK(first_two({{3, 1}, {-3, 1}, {2, 2}}) == std::pair(MotionVector{-3, 1}, MotionVector{3, 1}));
}

}  // namespace
}  // namespace texcast::compact
