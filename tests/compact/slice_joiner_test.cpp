// Joined slices keep the limit of an encoder, although they may be longer than the slices of their tiles.
#include "slice_joiner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "compact/slice_syntax.h"
#include "compact/tables.h"
#include "rd_slice_encoder.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

const TextureDesc kRowOfTiles{.format = TextureFormat::ycocg_bc4_420, .width = 512, .height = 32};

// Writes the joiner's symbols of a tile.
class ListCoder : public SliceCoder {
 public:
  explicit ListCoder(SliceJoiner& joiner) : joiner_(joiner) {}
  Bytes encode(const Slice& slice, const Reference&, MutableBytes memory) override {
    const size_t bytes = joiner_.symbols(slice.tile).write(memory, kLossyEndState);
    REQUIRE(bytes > 0);
    return memory.last(bytes);
  }

 private:
  SliceJoiner& joiner_;
};

// The symbols of a context that has a symbol which costs half a bit elsewhere, and nothing at the end of a slice: the
// coder's state stays 1. The next symbol of the context changes the state.
struct Symbols {
  int context, free, other;
};
Symbols symbols_of(const CodingTables& tables) {
  for (int context = 0; context < context::kCount; ++context)
    if (const auto& slots = tables.slots[context]; slots[0].count > 2600 && slots[0].count < 3100)
      return {context, 0, 1};
  FAIL("the tables have no such symbol");
  return {};
}

// The bytes of the slices of eight tiles that end with so many free symbols each, after joining.
std::vector<size_t> joined_lengths(size_t most_slice_bytes, size_t symbols) {
  const TileGrid grid(kRowOfTiles);
  CodedTiles tiles(grid, most_slice_bytes);
  SliceJoiner joiner(grid, most_slice_bytes, tiles);
  const CodingTables& tables = lossy_tables(Content{}, TableSet::luma);
  const Symbols of_list = symbols_of(tables);
  const std::vector<std::byte> texture(grid.texture_bytes());
  ListCoder coder(joiner);
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    SymbolList& list = joiner.symbols(tile);
    list.make_room(symbols + 2);
    for (int i = 0; i < 2; ++i) list.put(tables, of_list.context, of_list.other);
    for (size_t i = 0; i < symbols; ++i) list.put(tables, of_list.context, of_list.free);
    tiles.pack(tile, {texture.data(), true}, {}, coder);
    REQUIRE(tiles.bytes(tile) == 4);
  }
  SymbolList list_of_all;
  joiner.join(
      0, grid.tiles(), [](uint32_t, uint32_t) { return true; },
      [&](uint32_t first, uint32_t last, MutableBytes memory) {
        return RdSliceEncoder::write_joined(joiner.symbols(first, last), slice_header_symbols(true), list_of_all,
                                            memory);
      });
  std::vector<size_t> lengths;
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile)
    if (!tiles.is_joined(tile)) lengths.push_back(tiles.bytes(tile));
  return lengths;
}

}  // namespace

TEST_CASE("tiles keep their own slices if a joined one would be longer than the limit, though the sum is not") {
  REQUIRE(TileGrid(kRowOfTiles).tiles() == 8);
  const std::vector<size_t> own(8, 4);
  for (const size_t limit : {384, 390, 402}) {
    CAPTURE(limit);
    size_t longest = 0;
    for (size_t symbols = 20; symbols < 1500; ++symbols) {
      const auto lengths = joined_lengths(limit, symbols);
      if (lengths == own) continue;
      REQUIRE(lengths.size() == 1);
      longest = std::max(longest, lengths[0]);
    }
    CHECK(longest == limit);
    CHECK(joined_lengths(limit, 5000) == own);
  }
}
