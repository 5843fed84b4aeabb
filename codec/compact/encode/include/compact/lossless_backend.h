// lossless_backend.h — who may choose a frame's vectors and modes instead of the encoder's own threads: a GPU, whose
// kernels decide alike (codec/compact/opencl). The encoder says which tiles are due, and takes the units that it is
// given.
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
#include "compact/motion_candidates.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// An encoder's knowledge between two frames.
struct LosslessBackendState {
  Bytes before{};                                                   // the frame before; empty: there is none
  std::array<std::span<const uint32_t>, kMostComponents> places{};  // of components
  std::span<const TileVectors> field{};                             // of tiles
};

struct LosslessBackendFrame {
  Bytes texture;                      // stays as it is until decide() is over
  bool is_first = false;              // nothing is before it
  std::span<const uint32_t> changed;  // tiles that differ from the frame before; ascending
  std::span<const uint32_t> due;      // tiles to be decided; ascending
  size_t most_slice_bytes = 0;        // of a unit, which is also to be shorter than plain
  std::span<const uint8_t> intra;     // a byte a tile: not 0 where a tile that is due must not need the frame before
};

struct BackendSlice {
  Bytes bytes;  // none: they have no room
  TileVectors vectors{};
  std::span<const uint32_t> touched;  // tiles of the frame before that jumps lead to; where `touches_more` not all
  bool touches_more = false;
};

// Not thread-safe, but for decided().
class LosslessBackend {
 public:
  virtual ~LosslessBackend() = default;
  virtual void begin(const LosslessBackendState& state) = 0;
  // By tile that changed.
  virtual std::span<const MotionCandidates> vote(const LosslessBackendFrame& frame) = 0;
  // `votes`: those of the frame, in pixels.
  virtual void decide(std::span<const MotionVector> votes) = 0;
  // Of due[i], or a strip of it. Valid until the next frame's vote(). Strips are there where a unit of the tile, cut
  // into half as many, has no room and would be too long plain.
  virtual BackendSlice decided(size_t i, uint8_t sub_slices, uint8_t sub_slice) const = 0;
  // The frame is the one before from now on. Of the tiles that were due these were not coded as it decided, and
  // have no vectors; ascending.
  virtual void remember(std::span<const uint32_t> plain) = 0;
};

}  // namespace texcast::compact
