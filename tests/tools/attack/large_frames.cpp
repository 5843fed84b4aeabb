#include "large_frames.h"

#include "compact/payload.h"
#include "rans.h"
#include "tables.h"
#include "unit_syntax.h"

namespace texcast::attack {
namespace {

// A unit for a run of tiles whose areas are all copied from the same place in the reference frame: one symbol an area.
std::vector<std::byte> stayed_run(const compact::TileGrid& grid, int tiles) {
  using namespace compact;
  constexpr int kColumns = kTileWidth / kAreaSide, kRows = kTileHeight / kAreaSide;
  std::vector<std::byte> shortest(2000);
  for (int content = 0; content < kContents; ++content) {
    const CodingTables& tables = lossy_tables(static_cast<Content>(content), grid.component(0).tables);
    SymbolList list;
    list.make_room(static_cast<size_t>(2 + tiles * kColumns * kRows));
    list.put(tables, flat_context(4), 0);        // the quantiser
    list.put(tables, flat_context(2), content);  // whose tables
    for (int area = 0; area < tiles * kColumns * kRows; ++area) {
      const int x = area % kColumns, y = area / kColumns % kRows;
      const Area left{.vector = {}, .moved = x > 0}, above{.vector = {}, .moved = y > 0};
      list.put(tables, area_context(left, above), kAreaMoved);
    }
    std::vector<std::byte> memory(2000);
    const size_t bytes = list.write(memory, kSmall);
    if (bytes > 0 && bytes < shortest.size()) shortest.assign(memory.end() - static_cast<long>(bytes), memory.end());
  }
  return shortest;
}

}  // namespace

std::vector<std::byte> large_frame(bool tells_all) {
  constexpr size_t kMostBytes = 1390;
  const compact::TileGrid grid(kLarge);
  compact::PayloadWriter writer(grid, kMostBytes);
  std::vector<compact::CodedUnit> units;
  const auto run = stayed_run(grid, grid.across());
  const std::vector<std::byte> black(grid.texture_bytes());
  for (int row = 0; row < grid.down() && tells_all; ++row) {
    const compact::Unit unit{.tile = static_cast<uint32_t>(row * grid.across()),
                             .tiles = static_cast<uint16_t>(grid.across())};
    units.push_back({.unit = unit,
                     .coding = compact::Coding::lossy_against,
                     .check = compact::unit_check(grid, unit, black.data()),
                     .bytes = run});
  }
  const auto payloads = writer.write(units);
  return {payloads[0].begin(), payloads[0].end()};
}

}  // namespace texcast::attack
