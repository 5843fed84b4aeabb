// lossless_coder.h — lossless mode decision and entropy coding of tiles, whole and in sub-slices.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/workers.h"
#include "compact/encoder_backend.h"
#include "lossless_buffers.h"

namespace texcast::compact {

class LosslessCoder {
 public:
  struct Stages {
    Stage analysis, decision, symbols, coding, download;
  };

  LosslessCoder(DeviceQueue& queue, const TileGrid& grid, LosslessBuffers& buffers, size_t most_slice_bytes);
  size_t most_slice_bytes() const { return most_slice_bytes_; }
  // A tile as an argument of kernels: its number, and whether it is intra.
  static uint32_t argument(const TileToEncode& tile) { return tile.tile | (tile.intra ? TEXCAST_SLICE_INTRA : 0); }
  // Starts coding the tiles, each in one slice.
  void encode(std::span<const TileToEncode> tiles, Stages& stages);
  // Waits for them. A tile is split into twice as many slices if one has no room and would be too long raw.
  std::span<const EncodedTile> wait(Workers& workers, Stages& stages);

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
  void encode_level(Workers& workers, size_t level, Stages& stages);
  void cut_tiles(Workers& workers, Stages& stages);
  void start_slices(size_t count, size_t usual_words, Stages& stages);
  template <typename Take>
  void end_slices(Workers& workers, size_t count, Stages& stages, const Take& also_take);
  void analyse(size_t count, Stage& stage);
  void decide(size_t count, Stage& stage);
  void write_symbols(size_t count, Stage& stage);
  void write(size_t count, Stage& stage);
  void download(size_t begin, size_t end, Stage& stage);
  void take_slice(size_t i, size_t first);
  void refer_to_slice(size_t i);
  void take_tile(size_t i);
  Kernels& kernels_of(const LosslessComponent& component) {
    return component.is_channel() ? *of_channels_ : *of_colors_;
  }

  DeviceQueue& queue_;
  const TileGrid grid_;
  LosslessBuffers& buffers_;
  const size_t most_slice_bytes_, stride_;  // stride_: the most 16-bit words of a slice
  std::optional<Kernels> of_colors_, of_channels_;
  cl::Kernel code_;
  cl::Buffer symbols_, words_, slots_;
  const std::vector<uint32_t> rooms_of_tiles_;  // the most words of each tile
  MirroredList<uint32_t> to_code_, rooms_;      // slices
  MirroredList<texcast_coded_slice> coded_;
  MirroredList<cl_uint> totals_;  // of symbols, of words, and of slices without room
  PinnedBytes bytes_;             // bytes of all slices of the frame
  size_t used_words_ = 0;
  size_t downloaded_words_ = 0;                                // of the slices that were started
  size_t usual_words_of_tile_ = 0;                             // from the previous frame, with some reserve
  std::vector<uint32_t> tiles_;                                // as argument() gives them
  std::vector<uint32_t> to_cut_;                               // indices in tiles_
  std::array<std::vector<SlicesOfTile>, kMostLevels> levels_;  // for each tile in tiles_
  std::vector<texcast_coded_slice> slices_;                    // of the frame; first_word is an index in bytes_
  size_t slice_count_ = 0;                                     // the used part of it
  std::vector<BackendSlice> backend_slices_;                   // the same slices
  std::vector<EncodedTile> encoded_;
};

}  // namespace texcast::compact
