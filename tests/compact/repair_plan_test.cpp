// What the sender codes alone because receivers asked: what is wrong there, all of it, and no more than its share.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "compact/intra_refresh.h"
#include "textures.h"

using namespace texcast;
using compact::CodedSlice;
using compact::IntraRefresh;
using compact::TileRange;

namespace {

using Tiles = std::set<uint32_t>;

const compact::TileGrid kPlanGrid({.format = TextureFormat::bc1, .width = 640, .height = 320});  // 10 x 10 tiles
const textures::Texture kAnyBytes(1024, std::byte{0x33});

CodedSlice repair_unit(uint32_t tile, compact::Coding coding, size_t bytes, const Tiles& touched = {}) {
  CodedSlice slice{{.tile = tile}, coding, 0, Bytes(kAnyBytes).first(bytes)};
  for (const uint32_t t : touched) slice.touched.add(t);
  return slice;
}

Tiles tiles_of(std::span<const uint8_t> map) {
  Tiles tiles;
  for (uint32_t tile = 0; tile < map.size(); ++tile)
    if (map[tile] != 0) tiles.insert(tile);
  return tiles;
}

// The next frame, in which nothing changes but what is asked for. Gives that.
Tiles next_still(IntraRefresh& plan, size_t bytes_a_tile = 500, double frame_times = 1) {
  const Tiles intra = tiles_of(plan.next(frame_times));
  std::vector<CodedSlice> slices;
  for (const uint32_t tile : intra) slices.push_back(repair_unit(tile, compact::Coding::intra, bytes_a_tile));
  plan.coded(slices);
  return intra;
}

void begin(IntraRefresh& plan) {
  plan.next();
  std::vector<CodedSlice> slices;
  for (uint32_t tile = 0; tile < kPlanGrid.tiles(); ++tile)
    slices.push_back(repair_unit(tile, compact::Coding::intra, 500));
  plan.coded(slices);
}

void ask(IntraRefresh& plan, uint64_t state, const Tiles& tiles) {
  std::vector<TileRange> ranges;
  for (const uint32_t tile : tiles) ranges.push_back({tile, 1});
  plan.ask(state, ranges, false);
}

// In which what is owed, a frame in plain at most, has been paid back, and as much is saved up.
constexpr auto kMostFrames = static_cast<int>(2 / IntraRefresh::kShareOfPlain);

}  // namespace

TEST_CASE("requests for whole pictures and for tiles are merged, also within a second of the last whole one") {
  IntraRefresh plan(kPlanGrid, {});
  begin(plan);
  plan.ask(0, {}, true);
  CHECK(next_still(plan).size() == 100);
  // Two receivers, one frame: the one that asks for all is not answered at the other one's cost, nor refused.
  ask(plan, 1, {7});
  plan.ask(1, {}, true);
  ask(plan, 1, {8});
  CHECK(next_still(plan).size() == 100);
  CHECK(next_still(plan).empty());
  ask(plan, 3, {7, 99});
  CHECK(next_still(plan) == Tiles{7, 99});
}

TEST_CASE("tiles that there is nothing left for stay due until there is") {
  IntraRefresh plan(kPlanGrid, {});
  begin(plan);
  uint64_t frame = 0;
  for (Tiles given{0}; !given.empty();) {  // somebody asks for all, with every frame
    plan.ask(frame++, {}, true);
    given = next_still(plan, 1000);
    REQUIRE(frame < 10);
  }
  ask(plan, frame, {7});
  int frames = 0;
  for (Tiles given; given.empty(); ++frames) {
    given = next_still(plan, 1000);
    ++frame;
    REQUIRE(frames < kMostFrames);
    if (!given.empty()) CHECK(given.contains(7));
  }
  CHECK(frames > 5);
}

TEST_CASE("what may be sent is by time, however few frames there are") {
  const auto frames_until_given = [](double frame_times) {
    IntraRefresh plan(kPlanGrid, {});
    begin(plan);
    uint64_t frame = 0;
    for (Tiles given{0}; !given.empty() && frame < 10;) {  // until nothing is left of what was saved up
      plan.ask(frame++, {}, true);
      given = next_still(plan, 1000);
    }
    ask(plan, frame, {7});
    int frames = 0;
    while (next_still(plan, 1000, frame_times).empty()) REQUIRE(++frames < kMostFrames);
    return frames;
  };
  const int at_full_rate = frames_until_given(1), at_a_twelfth = frames_until_given(12);
  CHECK(at_full_rate > 5);
  CHECK(3 * at_a_twelfth < at_full_rate);  // the share of what the stream takes is a frame's

  // The sweep: 100 tiles in 50 frames, in 10 of five times their time, or at once.
  for (const double frame_times : {1.0, 5.0, 1000.0}) {
    IntraRefresh plan(kPlanGrid, {.refresh_frames = 50});
    begin(plan);
    Tiles all;
    int frames = 0;
    for (; all.size() < 100; ++frames) all.merge(next_still(plan, 100, frame_times));
    CHECK(frames == static_cast<int>(std::max(1.0, 50 / frame_times)));
  }
}

TEST_CASE("what was coded alone since a receiver's state is not given again") {
  IntraRefresh plan(kPlanGrid, {});
  begin(plan);
  ask(plan, 0, {4, 5});
  CHECK(next_still(plan) == Tiles{4, 5});
  ask(plan, 0, {4, 5, 6});  // sent before that frame came
  CHECK(next_still(plan) == Tiles{6});
  plan.ask(0, {}, true);
  CHECK(next_still(plan).size() == 97);
  ask(plan, 0, {4});
  CHECK(next_still(plan).empty());
  ask(plan, 1, {4});  // what was given did not come
  CHECK(next_still(plan) == Tiles{4});
}

TEST_CASE("states of no frame, or older than what is kept: all may be wrong") {
  for (const uint64_t state : {uint64_t{1}, uint64_t{500}, UINT64_MAX}) {
    CAPTURE(state);
    IntraRefresh plan(kPlanGrid, {});
    begin(plan);
    for (int i = 0; i < 70; ++i) next_still(plan);
    ask(plan, state, {3});
    CHECK(next_still(plan).size() == 100);
  }
  IntraRefresh plan(kPlanGrid, {});
  ask(plan, 0, {3});  // before there was any frame
  begin(plan);
  CHECK(next_still(plan).empty());
  // Tiles that there are not, and ranges over the end.
  const std::vector<TileRange> ranges{{100, 1}, {98, 4095}, {UINT32_MAX, UINT32_MAX}, {0, 0}};
  plan.ask(1, ranges, false);
  CHECK(next_still(plan) == Tiles{98, 99});
}

TEST_CASE("damage is followed through the frames that left, and through those that leave") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    CAPTURE(trial);
    IntraRefresh plan(kPlanGrid, {});
    begin(plan);
    struct Frame {
      std::vector<CodedSlice> slices;
    };
    std::vector<Frame> frames(1);
    const auto random_tiles = [&](size_t most) {
      Tiles tiles;
      for (size_t i = random() % (most + 1); i-- > 0;) tiles.insert(static_cast<uint32_t>(random() % 100));
      return tiles;
    };
    const auto send = [&] {
      const Tiles intra = tiles_of(plan.next());
      Frame frame;
      for (const uint32_t tile : random_tiles(30)) {
        if (intra.contains(tile)) continue;
        const bool inter = random() % 4 != 0;
        const Tiles touched = random_tiles(3);
        frame.slices.push_back(inter ? repair_unit(tile, compact::Coding::inter, 90, touched)
                                     : repair_unit(tile, compact::Coding::raw, 90));
      }
      for (const uint32_t tile : intra) frame.slices.push_back(repair_unit(tile, compact::Coding::intra, 10));
      std::ranges::sort(frame.slices, {}, [](const CodedSlice& slice) { return slice.slice.tile; });
      plan.coded(frame.slices);
      frames.push_back(frame);
      return intra;
    };
    for (int i = 0; i < 12; ++i) send();
    // One receiver after the other, each by itself: which of its tiles are wrong now.
    Tiles wrong;
    const auto follow = [&](Tiles tiles, size_t from) {
      for (size_t number = from; number < frames.size(); ++number) {
        const Tiles before = tiles;
        for (const CodedSlice& slice : frames[number].slices) {
          const auto list = slice.touched.list();
          const bool is_wrong = slice.coding == compact::Coding::inter &&
                                std::ranges::any_of(list, [&](uint32_t t) { return before.contains(t); });
          if (is_wrong)
            tiles.insert(slice.slice.tile);
          else
            tiles.erase(slice.slice.tile);
        }
      }
      return tiles;
    };
    for (int receiver = 0; receiver < 3; ++receiver) {
      const size_t state = 2 + random() % 11;
      const Tiles asked = random_tiles(10);
      ask(plan, state, asked);
      const Tiles now = follow(asked, state + 1);
      wrong.insert(now.begin(), now.end());
    }
    const Tiles first = send();
    CHECK(first == wrong);
    // What was coded against them in that frame is wrong behind it, and mended without being asked for.
    const Tiles left = follow(wrong, frames.size() - 1);
    const Tiles second = send();
    CHECK(second == left);
  }
}

TEST_CASE("no requests make a stream larger than by its share") {
  constexpr size_t kOfTile = 700, kFrames = 2000;
  const auto plain = static_cast<double>(kPlanGrid.texture_bytes());
  for (const uint32_t moving : {0U, 20U}) {  // tiles that change in every frame, against themselves
    CAPTURE(moving);
    IntraRefresh plan(kPlanGrid, {});
    begin(plan);
    std::mt19937 random(9);
    double unasked = 0, sent = 0, most = 0;
    for (uint64_t frame = 0; frame < kFrames; ++frame) {
      for (int i = 0; i < 64; ++i) {
        const uint64_t state = random() % 3 == 0 ? random() : frame - random() % (frame + 1);
        ask(plan, state, {static_cast<uint32_t>(random() % 100), static_cast<uint32_t>(random() % 100)});
        plan.ask(state, {}, random() % 2 == 0);
      }
      const auto intra = plan.next();
      std::vector<CodedSlice> slices;
      double of_frame = 0;
      for (uint32_t tile = 0; tile < 100; ++tile) {
        if (intra[tile] == 0 && tile >= moving) continue;
        slices.push_back(intra[tile] != 0 ? repair_unit(tile, compact::Coding::intra, kOfTile)
                                          : repair_unit(tile, compact::Coding::inter, kOfTile / 2, {tile}));
        of_frame += static_cast<double>(slices.back().bytes.size());
      }
      plan.coded(slices);
      sent += of_frame;
      most = std::max(most, of_frame);
      unasked += moving * kOfTile / 2.0;
    }
    const double share = compact::RefreshBudget::kShare * unasked + IntraRefresh::kShareOfPlain * plain * kFrames;
    CHECK(sent - unasked <= share + 2 * plain);  // what was saved up before, and what is owed behind
    CHECK(sent - unasked > share / 2);           // and all the while something is repaired
    CHECK(most <= plain);
  }
}
