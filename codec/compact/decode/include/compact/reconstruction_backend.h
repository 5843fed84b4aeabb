// reconstruction_backend.h — a device that decodes lossy slices of planes of channels in place of the CPU: a GPU, whose
// kernels make the same sub-blocks from the same bytes (codec/compact/opencl). It keeps the texture that it wrote last
// as the reference for the next frame, and if the grid can_transform(), its samples too (sample_planes.h): the decoder
// does not get them. The CPU decodes lossless and raw slices.
//
// Calls: begin(), then result(), for each frame. Both may throw Error. The decoder goes on by CPU then, and does not
// call the backend again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// A device is faster than the CPU, which takes some microseconds for each tile, from about this many coded tiles a
// frame.
inline constexpr uint32_t kLeastTilesForBackend = 96;
// Slices that a backend has to decode as the CPU does before it is used, as compilers of kernels have bugs.
inline constexpr uint32_t kDecoderSelfCheckSlices = 1024;

// The constant tables that a grid's slices are decoded with.
struct ReconstructionTables {
  size_t sets = 0;
  std::vector<uint32_t> buckets;  // [content][set][context][bucket] (lookup_tables.h)
  std::vector<uint16_t> starts;   // [content][set][context][symbol]: first slots
  // The same of transform slices, [range][set] (transform_range()); literal bits follow the context
  // transform_context::kEnd - 1. Empty if the grid cannot transform.
  std::vector<uint32_t> transform_buckets;
  std::vector<uint16_t> transform_starts;
  struct OfComponent {
    int set = 0;
    std::array<int, 12> least_range{};  // between fitted end points, by quantiser
  };
  std::vector<OfComponent> components;
};
ReconstructionTables reconstruction_tables(const TileGrid& grid);

struct SliceToReconstruct {
  Slice slice;
  bool intra = false;
  Bytes bytes{};              // may be anything
  bool is_transform = false;  // as its bytes say: ReceivedSlice::is_transform
};

struct FrameToReconstruct {
  Bytes reference{};                     // the reference frame; empty: there is none, and all slices are intra
  std::span<const uint32_t> outdated{};  // tiles of the reference that differ from what the backend wrote last
  // If the grid can_transform(): for each outdated tile, a bit for each eighth of its rows, the topmost one first. The
  // samples of these parts are in `samples`, in the layout of SamplePlanes; the backend has those of the other parts.
  // `samples` may be empty as long as no transform slice was decoded since the latest frame without a reference: those
  // of outdated tiles are then what their blocks decode to.
  std::span<const uint8_t> outdated_parts{};
  std::span<const uint8_t> samples{};
  std::span<const SliceToReconstruct> slices{};  // no two of the same sub-blocks
  std::span<const uint8_t> right{};              // a byte for each tile of the reference: not 0 if it is right
};

struct ReconstructedSlice {
  bool decoded = false;       // false: its sub-blocks are those of the reference frame, or zeros
  bool refers_right = false;  // all tiles of the reference frame that it reads are right
  bool changed = false;       // it differs from the reference frame; false without one
  uint32_t check = 0;         // slice_check()
};

struct ReconstructedFrame {
  std::span<const ReconstructedSlice> slices;
  Bytes texture;  // only rows of tiles that have slices are valid, but those completely
};

// Not thread-safe.
class ReconstructionBackend {
 public:
  virtual ~ReconstructionBackend() = default;
  // Starts a frame. The memory behind its spans must stay valid until result() returns.
  virtual void begin(const FrameToReconstruct& frame) = 0;
  // Waits for the frame. The result is valid until the next frame.
  virtual ReconstructedFrame result() = 0;
  // After result(): the samples of the latest frame, in the layout of SamplePlanes, of which only those are valid that
  // the backend reconstructed in transform slices. Waits for them. Valid until the next call. Empty if no frame has had
  // such slices.
  virtual std::span<const uint8_t> samples() = 0;
};

}  // namespace texcast::compact
