// received_slice.h — a slice of a received frame, and the outcome of its decoding. Slices are independent of each
// other: any thread, or another instance of the program that has the reference frame, may decode them in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compact/payload.h"
#include "compact/sample_planes.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

struct ReceivedSlice {
  ParsedSlice parsed;
  bool is_transform = false;  // it is a transform slice, as its first symbols say
  bool decoded = false;
  bool refers_right = true;      // all tiles that it read of the reference frame were right
  bool changed = false;          // it differs from the reference frame; false without one
  uint32_t check = 0;            // slice_check()
  bool is_from_backend = false;  // the reconstruction backend decoded it
  // Whether it has samples of its own. Those of other slices are what the sub-blocks decode to.
  bool has_samples() const { return is_transform || parsed.coding == Coding::samples; }
};

// The samples that transform slices and sample slices read and write. Borrowed.
struct SliceSamples {
  const SamplePlanes* reference = nullptr;  // of the reference frame; nullptr: no inter transform slice can be decoded
  SamplePlanes* made = nullptr;             // of the frame; nullptr: no slice that has samples can be decoded
};

// Everything that decoding a slice needs besides its bytes. Borrowed.
struct SliceSurroundings {
  const TileGrid& grid;
  const std::byte* reference = nullptr;  // the whole texture of the reference frame; nullptr: there is none
  // A byte for each tile of the reference frame: 0 if it is wrong. Empty without a reference frame.
  std::span<const uint8_t> reference_right{};
  SliceSamples samples{};
};

// Writes the slice's sub-blocks in `texture`, which has the grid's size, and its samples if has_samples(), and nothing
// else, and sets the outcome. The slice's bytes may be anything. If they are invalid its sub-blocks become those of the
// reference frame, or 0, and its samples are undefined. Other slices leave samples as they are.
void decode(ReceivedSlice& slice, const SliceSurroundings& with, std::byte* texture);

}  // namespace texcast::compact
