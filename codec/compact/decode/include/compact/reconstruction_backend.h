// reconstruction_backend.h — who may rebuild lossy units of planes of channels instead of the decoder's own threads: a
// GPU, whose kernels make the same half-blocks of the same bytes (codec/compact/opencl). It keeps the texture that it
// made last, which is the frame before to the next one.
//
// Of a frame begin(), then rebuilt(). Both may throw Error: the decoder goes on without the rebuilder then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Of what a frame tells, for a device to be quicker than threads, which take some microseconds for each tile.
inline constexpr uint32_t kLeastTilesForBackend = 96;
// Slices that a backend has to decode as the CPU does before it is used, as compilers of kernels have bugs.
inline constexpr uint32_t kDecoderSelfCheckSlices = 1024;

// What a component's units are decoded with.
struct ReconstructionTables {
  size_t sets = 0;
  std::vector<uint32_t> buckets;  // [content][set][context][bucket] (lookup_tables.h)
  std::vector<uint16_t> starts;   // [content][set][context][symbol]: first slots
  struct OfComponent {
    int set = 0;
    std::array<int, 12> least_range{};  // between fitted end points, by quantiser
  };
  std::vector<OfComponent> components;
};
ReconstructionTables reconstruction_tables(const TileGrid& grid);

struct SliceToReconstruct {
  Slice slice;
  bool intra = false;  // nothing of the frame before counts
  Bytes bytes{};       // anything
};

struct FrameToReconstruct {
  Bytes before{};                                // the frame before; empty: there is none, and all units are alone
  std::span<const uint32_t> told{};              // tiles of it that are not as they were rebuilt last
  std::span<const SliceToReconstruct> slices{};  // no two of the same half-blocks
  std::span<const uint8_t> right{};              // a byte a tile of the frame before: not 0 where it is right
};

struct ReconstructedSlice {
  bool decoded = false;       // else it stands as it was, or is zeros
  bool refers_right = false;  // all tiles of the frame before that it was coded against are right
  bool changed = false;       // it is not as in the frame before, where there is one
  uint32_t check = 0;         // slice_check()
};

struct ReconstructedFrame {
  std::span<const ReconstructedSlice> slices;
  Bytes texture;  // the rows of tiles in which there are units, whole
};

// Not thread-safe.
class ReconstructionBackend {
 public:
  virtual ~ReconstructionBackend() = default;
  // Starts with it. What the frame's spans are of has to stay until rebuilt() is over.
  virtual void begin(const FrameToReconstruct& frame) = 0;
  // Waits for it. Valid until the next frame.
  virtual ReconstructedFrame rebuilt() = 0;
};

}  // namespace texcast::compact
