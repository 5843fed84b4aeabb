// coded_unit.h — a unit as the encoder gives it and a payload carries it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

enum class Coding : uint8_t {
  against = 0,  // the frame before
  alone = 1,    // without it
  plain = 2,    // the half-blocks' bytes, component by component, row by row
  lossy_against = 3,
  lossy_alone = 4,
};
inline bool is_alone(Coding coding) { return coding == Coding::alone || coding == Coding::lossy_alone; }
inline bool is_lossy(Coding coding) { return coding == Coding::lossy_against || coding == Coding::lossy_alone; }
inline bool needs_before(Coding coding) { return coding == Coding::against || coding == Coding::lossy_against; }

// Tiles of the frame before that a unit was coded against: its own, and those that its vectors reach.
struct TilesTouched {
  std::array<uint32_t, 31> tiles{};
  uint8_t count = 0;
  bool any = false;  // too many to name
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

// So many units of a device's are held against the threads' before it is believed: compilers of kernels have bugs.
inline constexpr uint32_t kUnitsToProve = 1024;

struct CodedUnit {
  Unit unit;
  Coding coding{};
  uint32_t check = 0;  // of what it decodes to (payload.h)
  Bytes bytes;         // never more than its half-blocks have
  TilesTouched touched{};
};

}  // namespace texcast::compact
