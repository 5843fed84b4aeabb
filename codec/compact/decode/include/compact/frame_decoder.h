// frame_decoder.h — payloads of a frame, all or some of them, to a texture; and which of its tiles are right.
//
// A tile is right where it is byte for byte the encoder's. It is not where its payload is missing, where it was coded
// against tiles that were not right, and as long as it is passed over after that. Where a payload is missing it may be
// right all the same: it is unsure until a frame tells what the one with the missing payload changed (ChangeHistory).
// The picture shows then what the frame before had, or what comes nearest.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/workers.h"
#include "compact/reconstruction_backend.h"
#include "compact/tile_grid.h"
#include "formats/row_changes.h"

namespace texcast::compact {

struct DecodedCounts {
  uint32_t passed = 0, inter = 0, intra = 0, plain = 0;  // tiles, as the payloads say
  uint32_t lossy = 0;                                    // of those tiles, told by units with loss
  uint32_t concealed = 0;                                // tiles that no payload told of
  uint32_t wrong = 0;                                    // tiles that are not right now, without those unsure
  uint32_t unsure = 0;                                   // that the next frame may tell to be right
  uint32_t repaired = 0;                                 // tiles that were not right and are
  uint32_t damaged = 0;                                  // payloads or units that made no sense
  uint32_t disagreed = 0;                                // payloads whose check failed: nothing that they say counts
  // Bytes of the texture that were written because of the payloads, about; and all of it where it was cleared, or
  // copied to memory that had none of it.
  size_t work = 0;
};

// Not thread-safe; all payloads may be anything. The same texture whatever the number of workers. Bounded in time by
// the texture's size. Allocates for its first frame alone.
class FrameDecoder {
 public:
  // `workers` share a frame's units, and must outlive this.
  FrameDecoder(const TextureDesc& texture, Workers& workers);
  ~FrameDecoder();
  const TileGrid& grid() const;
  // An empty payload is one that is missing. `before`: the texture that decode() wrote last, as it wrote it; nullptr
  // for the first one. `texture` is written whole, and is other memory. `frames_missing`: so many frames lie between
  // that one and this, of which nothing is known; where this one tells what they changed, the other tiles are still
  // right. `held`: `texture` is memory that has this decoder's texture of that number (RowChanges) in it, as decode()
  // wrote it, so that only what changed since is written; 0: it has anything.
  DecodedCounts decode(std::span<const Bytes> payloads, const std::byte* before, MutableBytes texture,
                       uint64_t frames_missing = 0, uint64_t held = 0);
  // Lossy units are the rebuilder's from the next frame on, of grids that have planes of channels. `self_check_slices`:
  // the threads go on until so many of its units are theirs; it is not believed before. Once it fails, or gives others,
  // the threads go on without it, with the frame at hand too. `least_tiles`: frames that tell fewer are the threads'.
  void use_backend(std::unique_ptr<ReconstructionBackend> rebuilder, uint32_t self_check_slices = 0,
                   uint32_t least_tiles = 0);
  // A byte a tile: 1 where it is right. Of the frame decoded last.
  std::span<const uint8_t> right() const;
  // A byte a tile: not 0 where it is not known to be right, and may be.
  std::span<const uint8_t> unsure() const;
  // Of the texture decoded last: which rows of tiles have other bytes than before, right or not. A decoder's textures
  // are one sequence; one that was made without the texture before has changed all over. Valid until the next decode().
  RowChanges changes() const;
  // No tile is known to be right any more; or none of a row of tiles.
  void lose();
  void lose_row(int row);
  // is_right() is true if all tiles of a row are right and none is unsure. sum() is the sum over the units that coded
  // them last (tile_sums.h).
  bool is_right(int row) const;
  uint32_t sum(int row) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace texcast::compact
