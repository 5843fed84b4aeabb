// lossless_coder.h — lossless mode decision and entropy coding of tiles, whole and in sub-slices.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "compact/encoder_backend.h"
#include "lossless_buffers.h"

namespace texcast::compact {

class LosslessCoder {
 public:
  struct Stages {
    Stage decision, coding, download;
  };

  LosslessCoder(const DeviceQueue& queue, const TileGrid& grid, LosslessBuffers& buffers, size_t most_slice_bytes);
  size_t most_slice_bytes() const { return most_slice_bytes_; }
  // A tile as an argument of kernels: its number, and whether it is intra.
  static uint32_t argument(const TileToEncode& tile) { return tile.tile | (tile.intra ? TEXCAST_SLICE_INTRA : 0); }
  // Waits for the device. A tile is split into twice as many slices if one has no room and would be too long raw.
  std::span<const EncodedTile> encode(std::span<const TileToEncode> tiles, Stages& stages);

 private:
  static constexpr size_t kMostLevels = 4;  // a tile in 1, 2, 4 or 8 slices
  // A part of slices_.
  struct SlicesOfTile {
    uint32_t first = 0, count = 0;
  };
  // The kernels for colour sub-blocks, or for channel sub-blocks.
  struct Kernels {
    Kernels(const ocl::Device& device, bool channel);
    cl::Kernel analyse, decide, write_symbols;
  };

  Slice slice(size_t i, size_t level, int sub_slice) const;
  bool has_room(size_t i, size_t level) const;
  void encode_level(size_t level, Stages& stages);
  void encode_slices(size_t count, Stages& stages);
  void decide(size_t count, Stage& stage);
  void write(size_t count, Stage& stage);
  std::span<const EncodedTile> result();

  const DeviceQueue& queue_;
  const TileGrid grid_;
  LosslessBuffers& buffers_;
  const size_t most_slice_bytes_, stride_;  // stride_: the most 16-bit words of a slice
  std::optional<Kernels> of_colors_, of_channels_;
  cl::Kernel code_, gather_;
  cl::Buffer symbols_, words_, all_words_, slots_;
  MirroredList<uint32_t> to_code_, rooms_;  // slices
  MirroredList<texcast_coded_slice> coded_;
  MirroredList<cl_uint> totals_;  // symbols, words
  PinnedBytes bytes_;             // bytes of all slices of the frame
  size_t used_bytes_ = 0;
  std::vector<TileToEncode> tiles_;
  std::vector<uint32_t> to_cut_;                               // indices in tiles_
  std::array<std::vector<SlicesOfTile>, kMostLevels> levels_;  // for each tile in tiles_
  std::vector<texcast_coded_slice> slices_;                    // of the frame; first_word is an index in bytes_
  std::vector<BackendSlice> backend_slices_;                   // the same slices
  std::vector<EncodedTile> encoded_;
};

}  // namespace texcast::compact
