// tile_payload.h — a payload of a coded stream with the raw blocks of one tile, as a forger makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ensure.h"
#include "compact/coded_slice.h"
#include "compact/payload.h"
#include "compact/tile_grid.h"

namespace texcast::test {

// The blocks are those of the tile in the texture `blocks`. All other tiles are skipped.
inline std::vector<std::byte> tile_payload(const compact::TileGrid& grid, uint32_t tile,
                                           const std::vector<std::byte>& blocks) {
  const compact::Slice slice{.tile = tile};
  std::vector<std::byte> plain;
  grid.for_each_sub_block(slice, [&](size_t at) { plain.insert(plain.end(), &blocks[at], &blocks[at] + 8); });
  const compact::CodedSlice coded{.slice = slice,
                                  .coding = compact::Coding::raw,
                                  .check = compact::slice_check(grid, slice, blocks.data()),
                                  .bytes = plain};
  compact::PayloadWriter writer(grid, 1300);
  const auto payloads = writer.write({&coded, 1});
  ENSURE(payloads.size() == 1);
  return {payloads[0].begin(), payloads[0].end()};
}

}  // namespace texcast::test
