// slice_decoder.h — decodes one coded slice into the texture. The syntax is docs/compact.md; tests compare every answer
// with an independent decoder (tests/compact/oracle.h).
#pragma once

#include <span>

#include "base/bytes.h"
#include "compact/received_slice.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Whether all tiles of the reference frame that a slice reads are correct, byte for byte the encoder's.
class ReferenceReads {
 public:
  // `right`: a byte for each tile of the reference frame, 0 if it is wrong. Both arguments are borrowed.
  ReferenceReads(const TileGrid& grid, std::span<const uint8_t> right) : grid_(grid), right_(right) {}
  // Records a read of blocks [x0, x1] by [y0, y1] of a component, all within its plane.
  void add(const Component& component, int x0, int y0, int x1, int y1) {
    if (!all_right_) return;
    grid_.for_each_tile(component, {x0, y0, x1 + 1, y1 + 1},
                        [this](uint32_t tile) { all_right_ = all_right_ && right_[tile] != 0; });
  }
  bool all_right() const { return all_right_; }

 private:
  const TileGrid& grid_;
  const std::span<const uint8_t> right_;
  bool all_right_ = true;
};

// Writes the slice's sub-blocks in `texture` and a transform slice's samples, and nothing else. `reference`: the whole
// texture of the reference frame; nullptr: the slice is intra. Returns false if `coded` is not a valid slice; the
// slice's sub-blocks and samples are undefined then. The time is bounded, whatever the bytes are. `reads` records the
// reads of `reference`; it may be nullptr.
bool decode_slice(const TileGrid& grid, const Slice& slice, Bytes coded, bool lossy, const std::byte* reference,
                  std::byte* texture, ReferenceReads* reads, const SliceSamples& samples = {});

}  // namespace texcast::compact
