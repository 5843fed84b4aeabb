// coded_slice.h — a coded slice as the encoder returns it and a payload carries it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

enum class Coding : uint8_t {
  inter = 0,  // relative to the reference frame
  intra = 1,  // without it
  raw = 2,    // the bytes of its sub-blocks, component by component, row by row
  lossy_inter = 3,
  lossy_intra = 4,
  samples = 5,  // exact samples, and their sub-blocks, without the reference frame (sample_syntax.h)
};
inline bool is_intra(Coding coding) {
  return coding == Coding::intra || coding == Coding::lossy_intra || coding == Coding::samples;
}
inline bool is_lossy(Coding coding) { return coding == Coding::lossy_inter || coding == Coding::lossy_intra; }
inline bool needs_reference(Coding coding) { return coding == Coding::inter || coding == Coding::lossy_inter; }

// The tiles of the reference frame that an inter slice reads: its own, and those to which its vectors lead.
struct ReferencedTiles {
  std::array<uint32_t, 31> tiles{};
  uint8_t count = 0;
  bool any = false;  // too many for the list: it may be any tile
  void add(uint32_t tile) {
    for (int i = 0; i < count; ++i)
      if (tiles[i] == tile) return;
    if (count == tiles.size())
      any = true;
    else
      tiles[count++] = tile;
  }
  std::span<const uint32_t> list() const { return {tiles.data(), count}; }
};

struct CodedSlice {
  Slice slice;
  Coding coding{};
  uint32_t check = 0;  // of the sub-blocks that it decodes to (payload.h)
  Bytes bytes;         // never longer than the raw slice, but for samples
  ReferencedTiles touched{};
};

}  // namespace texcast::compact
