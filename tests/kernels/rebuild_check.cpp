// Units of lossy streams that the device rebuilds, against decode_unit(), which is the definition: the same textures and
// the same said of each unit, whatever its bytes are.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "base/workers.h"
#include "both_decoders.h"
#include "check.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/payload.h"
#include "compact_cl/device_unit_rebuilder.h"
#include "fast_tables.h"
#include "kernels/compact.h"
#include "oracle.h"
#include "rans.h"
#include "tables.h"
#include "textures.h"
#include "unit_decoder.h"

using namespace texcast;
using namespace textures;

namespace {

using namespace compact;
using Rights = std::vector<uint8_t>;

// The device and the plain decoder, frame after frame.
class BothRebuild {
 public:
  explicit BothRebuild(const TextureDesc& desc)
      : grid_(desc), rebuilder_(compact_cl::make_device_unit_rebuilder(check::device().info(), grid_)) {}
  const TileGrid& grid() const { return grid_; }
  const Texture& shown() const { return shown_; }  // the frame that came last; empty: none
  int decoded() const { return decoded_; }
  int refused() const { return refused_; }
  int not_right() const { return not_right_; }
  int unchanged() const { return unchanged_; }

  // The frame before is another one, of which the device knows nothing but these tiles.
  void show(const Texture& texture, std::span<const uint32_t> told) {
    shown_ = texture;
    told_.assign(told.begin(), told.end());
  }
  void show(const Texture& texture) {
    std::vector<uint32_t> all;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) all.push_back(tile);
    show(texture, all);
  }
  void forget() { shown_.clear(); }

  // Whether both make the same of them.
  bool same(std::span<const UnitToRebuild> units, const Rights& right) {
    rebuilder_->begin({.before = shown_, .told = told_, .units = units, .right = right});
    const RebuiltFrame rebuilt = rebuilder_->rebuilt();
    told_.clear();
    const std::byte* const before = shown_.empty() ? nullptr : shown_.data();
    Texture want = before != nullptr ? shown_ : Texture(grid_.texture_bytes());
    bool same = rebuilt.units.size() == units.size() && rebuilt.texture.size() == want.size();
    for (size_t i = 0; i < units.size() && same; ++i) {
      const auto& [unit, alone, bytes] = units[i];
      Texture made = want;
      TilesRead read(grid_, right);
      const bool decoded = decode_unit(grid_, unit, bytes, true, alone ? nullptr : before, made.data(), &read);
      const RebuiltUnit& by_device = rebuilt.units[i];
      ++(decoded ? decoded_ : refused_);
      same = by_device.decoded == decoded;
      if (!decoded) continue;
      bool changed = false;
      grid_.for_each_half(unit, [&](size_t at) {
        changed = changed || (before != nullptr && load_half(&made[at]) != load_half(before + at));
      });
      not_right_ += !read.all_right();
      unchanged_ += !changed;
      same = same && by_device.refers_right == read.all_right() && by_device.changed == changed &&
             by_device.check == unit_check(grid_, unit, made.data());
      want = made;
    }
    // What stands in rows of tiles in which there is a unit.
    std::vector<bool> told(static_cast<size_t>(grid_.down()));
    for (const UnitToRebuild& unit : units) told[unit.unit.tile / static_cast<uint32_t>(grid_.across())] = true;
    for (uint32_t tile = 0; tile < grid_.tiles() && same; ++tile)
      if (told[tile / static_cast<uint32_t>(grid_.across())])
        grid_.for_each_half({.tile = tile}, [&](size_t at) {
          same = same && load_half(&want[at]) == load_half(&rebuilt.texture[at]);
        });
    shown_ = want;
    return same;
  }

 private:
  const TileGrid grid_;
  std::unique_ptr<compact_cl::DeviceUnitRebuilder> rebuilder_;
  Texture shown_;
  std::vector<uint32_t> told_;
  int decoded_ = 0, refused_ = 0, not_right_ = 0, unchanged_ = 0;
};

// All tiles, as runs, whole, in strips or not at all.
std::vector<Unit> cut_at_random(const TileGrid& grid, std::mt19937& random) {
  std::vector<Unit> units;
  const auto across = static_cast<uint32_t>(grid.across());
  for (uint32_t tile = 0; tile < grid.tiles();) {
    const uint32_t left = across - tile % across;
    switch (random() % 4) {
      case 0: units.push_back({.tile = tile, .tiles = static_cast<uint8_t>(std::min<uint32_t>(1 + random() % 8, left))}); break;
      case 1: {
        const auto strips = static_cast<uint8_t>(1 << random() % 3);
        for (uint8_t strip = 0; strip < strips && strips <= grid.most_strips(); ++strip)
          if (random() % 4 != 0) units.push_back({tile, strips, strip});
        break;
      }
      case 2: units.push_back({.tile = tile}); break;
      default: break;
    }
    tile += units.empty() || units.back().tile != tile ? 1 : units.back().tiles;
  }
  return units;
}

// What is said at random, as long as it makes sense.
std::vector<std::byte> made_up(oracle::Decoder& oracle, const Unit& unit, bool alone, const Texture& before,
                               uint32_t seed) {
  oracle::Chooser chooser{.random = std::mt19937(seed), .likely = seed % 3 == 1};
  Texture made = before;
  oracle.make_up_unit({unit.tile, unit.strips, unit.strip, alone ? 4u : 3u, {}, unit.tiles}, alone ? nullptr : &before,
                      made, chooser);
  SymbolList list;
  list.make_room(chooser.chosen.size());
  for (const auto& [set, context, symbol] : chooser.chosen) {
    const auto content = static_cast<Content>(set / kTableSets - 1);
    list.put(lossy_tables(content, static_cast<TableSet>(set % kTableSets)), context, symbol);
  }
  std::vector<std::byte> memory(200000);
  const size_t used = list.write(memory, kSmall);
  REQUIRE(used > 0);
  return {memory.end() - static_cast<ptrdiff_t>(used), memory.end()};
}

// 4:2:2 has tiles of its own shape.
constexpr TextureFormat kChannelPlanes[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444,
                                     TextureFormat::ycocg_bc4_422};

Rights rights_of(const TileGrid& grid, std::mt19937& random, bool all) {
  Rights right(grid.tiles(), 1);
  if (!all)
    for (auto& r : right) r = random() % 6 != 0 ? 1 : 0;
  return right;
}

}  // namespace

TEST_CASE("what kernels and host say of units that are rebuilt is the same") {
  CHECK(context::kArea.first == TEXCAST_AREA_CONTEXT);
  CHECK(TEXCAST_REBUILD_BUCKETS == 1 << kBucketBits);
  CHECK(TEXCAST_REBUILD_ITEMS == kMostUnitColumns * kMostUnitRows);
  CHECK(sizeof(texcast_unit_to_rebuild) == 8 * 4);
  CHECK(sizeof(texcast_rebuilt_part) == 24 * 4);
}

TEST_CASE("units rebuilt by the device: all that the syntax has, and what makes no sense") {
  for (const TextureFormat format : kChannelPlanes) {
    CAPTURE(name(format));
    if (check::tiny_only() && format != TextureFormat::ycocg_bc4_420) continue;
    const auto [width, height] = check::tiny_only() ? std::pair(68, 20) : std::pair(275, 77);
    const TextureDesc desc{.format = format, .width = width, .height = height};
    BothRebuild both(desc);
    oracle::Decoder oracle(desc);
    std::mt19937 random(17);
    for (int frame = 0; frame < (check::tiny_only() ? 2 : 24); ++frame) {
      CAPTURE(frame);
      if (frame % 6 == 0) both.show(frame % 12 == 0 ? photograph(desc, frame, 3) : noise(desc, 5));
      std::vector<UnitToRebuild> units;
      std::vector<std::vector<std::byte>> coded;
      for (const Unit& unit : cut_at_random(both.grid(), random)) {
        const bool alone = random() % 4 == 0;
        coded.push_back(made_up(oracle, unit, alone, both.shown(), static_cast<uint32_t>(random())));
        units.push_back({.unit = unit, .alone = alone});
        if (random() % 3 == 0) coded.back() = damaged(coded.back(), static_cast<int>(random() % 4), random);
        if (random() % 16 == 0) units.back().alone = !alone;  // what it is not
      }
      for (size_t i = 0; i < units.size(); ++i) units[i].bytes = coded[i];
      std::ranges::shuffle(units, random);
      CHECK(both.same(units, rights_of(both.grid(), random, frame % 2 == 0)));
    }
    CHECK(both.decoded() > 0);
    CHECK(both.refused() > 0);
    if (check::tiny_only()) continue;
    CHECK(both.not_right() > 20);
  }
}
