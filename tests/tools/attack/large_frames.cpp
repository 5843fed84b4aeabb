#include "large_frames.h"

#include <span>

#include "compact/payload.h"
#include "compact/rans.h"
#include "compact/slice_syntax.h"
#include "compact/tables.h"

namespace texcast::attack {
namespace {

// A slice of several tiles that are copied whole from the same place in the reference frame: one symbol a partition.
std::vector<std::byte> stayed_run(const compact::TileGrid& grid, int tiles) {
  using namespace compact;
  constexpr int kColumns = kTileWidth / kPartitionSide, kRows = kTileHeight / kPartitionSide;
  std::vector<std::byte> shortest(2000);
  for (int content = 0; content < kContents; ++content) {
    const CodingTables& tables = lossy_tables(static_cast<Content>(content), grid.component(0).tables);
    SymbolList list;
    list.make_room(static_cast<size_t>(2 + tiles * kColumns * kRows));
    list.put(tables, literal_context(4), 0);        // quantiser
    list.put(tables, literal_context(2), content);  // content
    for (int area = 0; area < tiles * kColumns * kRows; ++area) {
      const int x = area % kColumns, y = area / kColumns % kRows;
      const Partition left{.vector = {}, .copied = x > 0}, above{.vector = {}, .copied = y > 0};
      list.put(tables, partition_context(left, above), kPartitionCopied);
    }
    std::vector<std::byte> memory(2000);
    const size_t bytes = list.write(memory, kLossyEndState);
    if (bytes > 0 && bytes < shortest.size()) shortest.assign(memory.end() - static_cast<long>(bytes), memory.end());
  }
  return shortest;
}

std::vector<std::byte> first_payload(const compact::TileGrid& grid, std::span<const compact::CodedSlice> slices) {
  constexpr size_t kMostBytes = 1390;
  compact::PayloadWriter writer(grid, kMostBytes);
  const Bytes payload = writer.write(slices)[0];
  return {payload.begin(), payload.end()};
}

}  // namespace

std::vector<std::byte> costly_payload() {
  const compact::TileGrid grid(kLarge);
  const auto run = stayed_run(grid, grid.across());
  const std::vector<std::byte> black(grid.texture_bytes());
  std::vector<compact::CodedSlice> slices;
  for (int row = 0; row < grid.down(); ++row) {
    const compact::Slice slice{.tile = static_cast<uint32_t>(row * grid.across()),
                               .tiles = static_cast<uint16_t>(grid.across())};
    slices.push_back({.slice = slice,
                      .coding = compact::Coding::lossy_inter,
                      .check = compact::slice_check(grid, slice, black.data()),
                      .bytes = run});
  }
  return first_payload(grid, slices);
}

std::vector<std::byte> empty_payload() { return first_payload(compact::TileGrid(kLarge), {}); }

}  // namespace texcast::attack
