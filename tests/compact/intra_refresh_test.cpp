// Intra refresh at the request of receivers: all wrong tiles are repaired, but within the budget.
#include "compact/intra_refresh.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "textures.h"

using namespace texcast;
using compact::CodedSlice;
using compact::IntraRefresh;
using compact::TileRange;

namespace {

using Tiles = std::set<uint32_t>;

const compact::TileGrid kGrid({.format = TextureFormat::bc1, .width = 640, .height = 320});  // 10 x 10 tiles
const textures::Texture kAnyBytes(1024, std::byte{0x33});

CodedSlice slice_of(uint32_t tile, compact::Coding coding, size_t bytes, const Tiles& referenced = {}) {
  CodedSlice slice{{.tile = tile}, coding, 0, Bytes(kAnyBytes).first(bytes)};
  for (const uint32_t t : referenced) slice.touched.add(t);
  return slice;
}

Tiles tiles_of(std::span<const uint8_t> map) {
  Tiles tiles;
  for (uint32_t tile = 0; tile < map.size(); ++tile)
    if (map[tile] != 0) tiles.insert(tile);
  return tiles;
}

// Codes the next frame, in which only requested tiles are coded, and returns these.
Tiles next_still(IntraRefresh& refresh, size_t bytes_a_tile = 500, double frame_times = 1) {
  const Tiles intra = tiles_of(refresh.next(frame_times));
  std::vector<CodedSlice> slices;
  for (const uint32_t tile : intra) slices.push_back(slice_of(tile, compact::Coding::intra, bytes_a_tile));
  refresh.coded(slices);
  return intra;
}

void begin(IntraRefresh& refresh) {
  refresh.next();
  std::vector<CodedSlice> slices;
  for (uint32_t tile = 0; tile < kGrid.tiles(); ++tile) slices.push_back(slice_of(tile, compact::Coding::intra, 500));
  refresh.coded(slices);
}

void request(IntraRefresh& refresh, uint64_t state, const Tiles& tiles) {
  std::vector<TileRange> ranges;
  for (const uint32_t tile : tiles) ranges.push_back({tile, 1});
  refresh.request(state, ranges, false);
}

// After so many frames a debt of up to one raw frame is paid back, and as much is saved.
constexpr auto kMostFrames = static_cast<int>(2 / IntraRefresh::kShareOfRaw);

}  // namespace

TEST_CASE("requests for all tiles and for some are merged, also shortly after all tiles were repaired") {
  IntraRefresh refresh(kGrid, {});
  begin(refresh);
  refresh.request(0, {}, true);
  CHECK(next_still(refresh).size() == 100);
  // Two receivers request in one frame: the request for all tiles neither replaces the other one nor is refused.
  request(refresh, 1, {7});
  refresh.request(1, {}, true);
  request(refresh, 1, {8});
  CHECK(next_still(refresh).size() == 100);
  CHECK(next_still(refresh).empty());
  request(refresh, 3, {7, 99});
  CHECK(next_still(refresh) == Tiles{7, 99});
}

TEST_CASE("tiles without a budget for repairs remain pending until there is one") {
  IntraRefresh refresh(kGrid, {});
  begin(refresh);
  uint64_t frame = 0;
  for (Tiles repaired{0}; !repaired.empty();) {  // a receiver requests all tiles in every frame
    refresh.request(frame++, {}, true);
    repaired = next_still(refresh, 1000);
    REQUIRE(frame < 10);
  }
  request(refresh, frame, {7});
  int frames = 0;
  for (Tiles repaired; repaired.empty(); ++frames) {
    repaired = next_still(refresh, 1000);
    ++frame;
    REQUIRE(frames < kMostFrames);
    if (!repaired.empty()) CHECK(repaired.contains(7));
  }
  CHECK(frames > 5);
}

TEST_CASE("the budget grows with time, however few frames there are") {
  const auto frames_until_repaired = [](double frame_times) {
    IntraRefresh refresh(kGrid, {});
    begin(refresh);
    uint64_t frame = 0;
    for (Tiles repaired{0}; !repaired.empty() && frame < 10;) {  // until the saved budget is spent
      refresh.request(frame++, {}, true);
      repaired = next_still(refresh, 1000);
    }
    request(refresh, frame, {7});
    int frames = 0;
    while (next_still(refresh, 1000, frame_times).empty()) REQUIRE(++frames < kMostFrames);
    return frames;
  };
  const int at_full_rate = frames_until_repaired(1), at_a_twelfth = frames_until_repaired(12);
  CHECK(at_full_rate > 5);
  CHECK(3 * at_a_twelfth < at_full_rate);  // the share of the stream's bytes is per frame

  // Periodic refresh: 100 tiles in 50 frames, in 10 frames of five frame times each, or at once.
  for (const double frame_times : {1.0, 5.0, 1000.0}) {
    IntraRefresh refresh(kGrid, {.refresh_frames = 50});
    begin(refresh);
    Tiles all;
    int frames = 0;
    for (; all.size() < 100; ++frames) all.merge(next_still(refresh, 100, frame_times));
    CHECK(frames == static_cast<int>(std::max(1.0, 50 / frame_times)));
  }
}

TEST_CASE("tiles that were intra after the receiver's state are not repaired again") {
  IntraRefresh refresh(kGrid, {});
  begin(refresh);
  request(refresh, 0, {4, 5});
  CHECK(next_still(refresh) == Tiles{4, 5});
  request(refresh, 0, {4, 5, 6});  // requested before that frame arrived
  CHECK(next_still(refresh) == Tiles{6});
  refresh.request(0, {}, true);
  CHECK(next_still(refresh).size() == 97);
  request(refresh, 0, {4});
  CHECK(next_still(refresh).empty());
  request(refresh, 1, {4});  // the repair was lost
  CHECK(next_still(refresh) == Tiles{4});
}

TEST_CASE("requests for frames that do not exist or are no longer kept: all tiles may be wrong") {
  for (const uint64_t state : {uint64_t{1}, uint64_t{500}, UINT64_MAX}) {
    CAPTURE(state);
    IntraRefresh refresh(kGrid, {});
    begin(refresh);
    for (int i = 0; i < 70; ++i) next_still(refresh);
    request(refresh, state, {3});
    CHECK(next_still(refresh).size() == 100);
  }
  IntraRefresh refresh(kGrid, {});
  request(refresh, 0, {3});  // there is no frame yet
  begin(refresh);
  CHECK(next_still(refresh).empty());
  // Tiles that do not exist, and ranges beyond the last one.
  const std::vector<TileRange> ranges{{100, 1}, {98, 4095}, {UINT32_MAX, UINT32_MAX}, {0, 0}};
  refresh.request(1, ranges, false);
  CHECK(next_still(refresh) == Tiles{98, 99});
}

TEST_CASE("errors are propagated through frames that were sent and that are sent later") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    CAPTURE(trial);
    IntraRefresh refresh(kGrid, {});
    begin(refresh);
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
      const Tiles intra = tiles_of(refresh.next());
      Frame frame;
      for (const uint32_t tile : random_tiles(30)) {
        if (intra.contains(tile)) continue;
        const bool inter = random() % 4 != 0;
        const Tiles referenced = random_tiles(3);
        frame.slices.push_back(inter ? slice_of(tile, compact::Coding::inter, 90, referenced)
                                     : slice_of(tile, compact::Coding::raw, 90));
      }
      for (const uint32_t tile : intra) frame.slices.push_back(slice_of(tile, compact::Coding::intra, 10));
      std::ranges::sort(frame.slices, {}, [](const CodedSlice& slice) { return slice.slice.tile; });
      refresh.coded(frame.slices);
      frames.push_back(frame);
      return intra;
    };
    for (int i = 0; i < 12; ++i) send();
    // The wrong tiles of each receiver, computed separately.
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
      const Tiles requested = random_tiles(10);
      request(refresh, state, requested);
      const Tiles now = follow(requested, state + 1);
      wrong.insert(now.begin(), now.end());
    }
    const Tiles first = send();
    CHECK(first == wrong);
    // Tiles that referenced them in that frame are wrong after it, and are repaired without another request.
    const Tiles left = follow(wrong, frames.size() - 1);
    const Tiles second = send();
    CHECK(second == left);
  }
}

TEST_CASE("requests cannot use more than the budget") {
  constexpr size_t kOfTile = 700, kFrames = 2000;
  const auto raw_bytes = static_cast<double>(kGrid.texture_bytes());
  for (const uint32_t moving : {0U, 20U}) {  // tiles that change in every frame, and reference themselves
    CAPTURE(moving);
    IntraRefresh refresh(kGrid, {});
    begin(refresh);
    std::mt19937 random(9);
    double without_repairs = 0, sent = 0, most = 0;
    for (uint64_t frame = 0; frame < kFrames; ++frame) {
      for (int i = 0; i < 64; ++i) {
        const uint64_t state = random() % 3 == 0 ? random() : frame - random() % (frame + 1);
        request(refresh, state, {static_cast<uint32_t>(random() % 100), static_cast<uint32_t>(random() % 100)});
        refresh.request(state, {}, random() % 2 == 0);
      }
      const auto intra = refresh.next();
      std::vector<CodedSlice> slices;
      double of_frame = 0;
      for (uint32_t tile = 0; tile < 100; ++tile) {
        if (intra[tile] == 0 && tile >= moving) continue;
        slices.push_back(intra[tile] != 0 ? slice_of(tile, compact::Coding::intra, kOfTile)
                                          : slice_of(tile, compact::Coding::inter, kOfTile / 2, {tile}));
        of_frame += static_cast<double>(slices.back().bytes.size());
      }
      refresh.coded(slices);
      sent += of_frame;
      most = std::max(most, of_frame);
      without_repairs += moving * kOfTile / 2.0;
    }
    const double share =
        compact::RefreshBudget::kShare * without_repairs + IntraRefresh::kShareOfRaw * raw_bytes * kFrames;
    CHECK(sent - without_repairs <= share + 2 * raw_bytes);  // savings before, and debt after
    CHECK(sent - without_repairs > share / 2);               // repairs go on all the time
    CHECK(most <= raw_bytes);
  }
}
