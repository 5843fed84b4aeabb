// mode_decider.h — who may choose a frame's vectors and modes instead of the encoder's own threads: a GPU, whose
// kernels decide alike (codec/compact_cl). The encoder says which tiles are due, and takes the units that it is given.
//
// Of a frame vote(), decide(), then for each tile that is due decided(); after the last one remember(), where the
// encoder is done with the frame. Of a frame that goes plain whole there is no decide(), and nothing is decided(). All
// may throw Error: the encoder goes on without the decider then.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "compact/tile_grid.h"
#include "compact/vector.h"

namespace texcast::compact {

using TileVectors = std::array<Vector, 8>;  // of a tile's areas, four in a row, in pixels

// A table set, by context * 16 + symbol.
struct SymbolTables {
  std::vector<uint32_t> slots{};       // first of 4096, and from bit 16 on how many (rans.h)
  std::span<const uint16_t> costs;     // in 1/32 bits
  std::span<const uint32_t> of_ranks;  // costs of those in groups 0 to 3, [context in a group][symbol][group]
};
SymbolTables symbol_tables(TableSet set);

// Where the frame before has which half-block: 2^bits buckets of eight, by the upper bits of a hash (block_places.h).
int places_bits(const Component& component);

// An encoder's knowledge between two frames.
struct DeciderState {
  Bytes before{};                                                   // the frame before; empty: there is none
  std::array<std::span<const uint32_t>, kMostComponents> places{};  // of components
  std::span<const TileVectors> field{};                             // of tiles
};

struct FrameToDecide {
  Bytes texture;                      // stays as it is until decide() is over
  bool is_first = false;              // nothing is before it
  std::span<const uint32_t> changed;  // tiles that differ from the frame before; ascending
  std::span<const uint32_t> due;      // tiles to be decided; ascending
  size_t most_unit_bytes = 0;         // of a unit, which is also to be shorter than plain
  std::span<const uint8_t> alone;     // a byte a tile: not 0 where a tile that is due must not need the frame before
};

// A vector in half-blocks, and how many of a tile's moved by it; of none, votes is 0.
struct Movement {
  Vector blocks;
  uint32_t votes = 0;
  bool operator==(const Movement&) const = default;
};
// Those of a tile with the most votes, the first one before; of as many votes the shorter vector (|x| + |y|) comes
// first, then the one of smaller y, then of smaller x.
using Movements = std::array<Movement, 2>;

struct DecidedUnit {
  Bytes bytes;  // none: they have no room
  TileVectors vectors{};
  std::span<const uint32_t> touched;  // tiles of the frame before that jumps lead to; where `touches_more` not all
  bool touches_more = false;
};

// Not thread-safe, but for decided().
class ModeDecider {
 public:
  virtual ~ModeDecider() = default;
  virtual void begin(const DeciderState& state) = 0;
  // By tile that changed.
  virtual std::span<const Movements> vote(const FrameToDecide& frame) = 0;
  // `votes`: those of the frame, in pixels.
  virtual void decide(std::span<const Vector> votes) = 0;
  // Of due[i], or a strip of it. Valid until the next frame's vote(). Strips are there where a unit of the tile, cut
  // into half as many, has no room and would be too long plain.
  virtual DecidedUnit decided(size_t i, uint8_t strips, uint8_t strip) const = 0;
  // The frame is the one before from now on. Of the tiles that were due these were not coded as it decided, and
  // have no vectors; ascending.
  virtual void remember(std::span<const uint32_t> plain) = 0;
};

}  // namespace texcast::compact
