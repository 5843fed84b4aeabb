// Where half-blocks were before, and what tiles say of their movement: the same in whatever order they are asked.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "compact/motion_search.h"

namespace texcast::compact {
namespace {

using Place = std::pair<int, int>;  // x, y

std::vector<Place> found(const SubBlockIndex& places, uint64_t half) {
  std::vector<Place> at;
  places.find(half, [&](int x, int y) { at.emplace_back(x, y); });
  return at;
}

Component component_of(int blocks_x, int blocks_y) {
  Component component;
  component.kind = SubBlockKind::color;
  component.blocks_x = blocks_x;
  component.blocks_y = blocks_y;
  return component;
}

TEST_CASE("places: of a half-block that is everywhere the last place of each way is found") {
  const Component component = component_of(40, 30);
  SubBlockIndex places(component);
  std::vector<int> ways(SubBlockIndex::kWays);
  std::iota(ways.begin(), ways.end(), 0);
  std::ranges::shuffle(ways, std::mt19937(1));
  std::vector<Place> last(SubBlockIndex::kWays);
  for (const int way : ways)
    for (int y = 0; y < 30; ++y)
      for (int x = 0; x < 40; ++x)
        if (SubBlockIndex::way_of(x, y) == way) {
          places.put(7, x, y);
          last[static_cast<size_t>(way)] = {x, y};
        }
  CHECK(found(places, 7) == last);
  CHECK(found(places, 8).empty());
}

TEST_CASE("places: what was put down later takes the slot, wherever it is") {
  SubBlockIndex places(component_of(40, 30));
  places.put(7, 35, 29);
  CHECK(found(places, 7) == std::vector<Place>{{35, 29}});
  REQUIRE(SubBlockIndex::way_of(3, 5) == SubBlockIndex::way_of(35, 29));
  places.put(7, 3, 5);
  CHECK(found(places, 7) == std::vector<Place>{{3, 5}});
}

// Two frames of one tile's width and more, every half-block another one.
struct Frames {
  Component component = component_of(48, 24);
  BlockRect tile{16, 8, 32, 16};
  std::vector<std::byte> before = std::vector<std::byte>(size_t{48} * 24 * 8), now = before;
  SubBlockIndex places{component};
  Frames() {
    std::mt19937_64 random(5);
    for (int y = 0; y < 24; ++y) {
      for (int x = 0; x < 48; ++x) {
        const uint64_t half = random();
        store_sub_block(before.data() + component.at(x, y), half);
        store_sub_block(now.data() + component.at(x, y), half);
        places.put(half, x, y);
      }
    }
  }
  void move(int x, int y, int from_x, int from_y) {
    store_sub_block(now.data() + component.at(x, y), load_sub_block(before.data() + component.at(from_x, from_y)));
  }
  MotionCandidates vote() const {
    const TileChanges changes = changes_of(component, tile, now.data(), before.data());
    return compact::vote(component, tile, changes, now.data(), before.data(), places);
  }
};

TEST_CASE("votes: a tile tells the two vectors that most of what changed moved by") {
  Frames frames;
  CHECK(frames.vote()[0].votes == 0);  // nothing changed
  for (int x = 16; x < 32; ++x) frames.move(x, 9, x - 5, 12);
  for (int x = 16; x < 24; ++x) frames.move(x, 11, x + 9, 3);
  frames.move(28, 14, 1, 1);
  const MotionCandidates movements = frames.vote();
  CHECK(movements[0].blocks == MotionVector{-5, 3});
  CHECK(movements[0].votes == 8);  // every second one is asked
  CHECK(movements[1].blocks == MotionVector{9, -8});
  CHECK(movements[1].votes == 4);
}

TEST_CASE("votes: of as many the shorter vector comes first, then the upper one, then the left one") {
  const auto first_two = [](std::initializer_list<MotionVector> vectors) {
    Frames frames;
    int x = 16;
    for (const MotionVector& v : vectors) {
      frames.move(x, 10, x + v.x, 10 + v.y);
      x += 2;
    }
    const MotionCandidates movements = frames.vote();
    return std::pair(movements[0].blocks, movements[1].blocks);
  };
  CHECK(first_two({{6, 2}, {1, 2}, {7, 7}}) == std::pair(MotionVector{1, 2}, MotionVector{6, 2}));
  CHECK(first_two({{7, 7}, {6, 2}, {1, 2}}) == std::pair(MotionVector{1, 2}, MotionVector{6, 2}));
  CHECK(first_two({{2, 1}, {1, -2}, {1, 2}}) == std::pair(MotionVector{1, -2}, MotionVector{2, 1}));
  CHECK(first_two({{3, 1}, {-3, 1}, {2, 2}}) == std::pair(MotionVector{-3, 1}, MotionVector{3, 1}));
}

}  // namespace
}  // namespace texcast::compact
