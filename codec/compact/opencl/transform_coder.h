// transform_coder.h — transform coding of the tiles of a batch that are to be attempted by it, and the choice between
// it and block coding.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "attempt_order.h"
#include "compact/encoder_backend.h"
#include "rd_decision.h"
#include "rd_frame_buffers.h"
#include "rd_symbol_coder.h"
#include "rd_tables.h"
#include "tile_lists.h"
#include "transform_decision.h"
#include "transform_planes.h"
#include "transform_symbol_coder.h"
#include "transform_tables.h"

namespace texcast::compact {

// The grid can_transform(); it, the buffers and the tables must outlive the coder. Calls in a frame as those of
// TransformSymbolCoder. Not thread-safe.
class TransformCoder {
 public:
  struct Stages {
    Stage source;     // texels to approximate, if there is no picture
    Stage reference;  // samples of the reference frame
    Stage decision;   // macroblocks, and their blocks
    Stage coding;     // symbols, bytes and the choice
  };

  TransformCoder(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers, const RdTables& tables);

  // Makes the samples of the reference frame RdFrameBuffers::reference, from those in `samples`, in the layout of
  // SampleLayout, or if it is empty from the blocks. `samples` is borrowed until the commands are done.
  void start_reference(std::span<const uint8_t> samples, TileLists& lists, Stage& stage);
  void begin_frame() { symbols_.begin_frame(); }
  // Whether the reference frame gets samples of a tile, which is coded, and not its blocks. `is_recoded`: by the CPU.
  bool keeps_samples(uint32_t tile, bool is_recoded, const FrameOutcome& outcome) const {
    return is_recoded ? !outcome.samples.empty() : is_transform_[tile] != 0;
  }
  // Updates the samples of the reference frame by the results of a frame. It must follow the update of
  // RdFrameBuffers::reference. `coded`: its coded tiles, with TEXCAST_KEPT_SAMPLES; last the recoded ones.
  void keep(const FrameOutcome& outcome, const TileLists& lists, const TileList& coded, Stage& stage);
  // `search`: has started the batch. `has_picture`: what lossy coding approximates is a picture; else it is the decoded
  // blocks. `blocks`: codes the tiles with both attempts, until `blocks_done`.
  void start(const AttemptOrder& order, const RdDecision& search, bool has_picture, const RdSymbolCoder& blocks,
             const cl::Event& blocks_done, size_t most_slice_bytes, Stages& stages, Stage& download);
  void download_usual(Stage& stage) {
    if (count_ > 0) symbols_.download_usual(count_, stage);
  }
  bool download_rest(Workers& workers, Stage& stage) {
    return count_ > 0 && symbols_.download_rest(count_, workers, stage);
  }
  // The result of tile `i` of those with a transform attempt. `tile` has that of block coding, if it was attempted.
  // Different threads may ask for different tiles.
  void result(size_t i, EncodedTile& tile, BackendSlice& slice);
  void end_batch() {
    if (count_ > 0) symbols_.end_batch(count_);
  }
  // Wait for samples, in the layout of SampleLayout: those of the tiles with a transform attempt in this frame, and
  // those of the reference frame. They are valid until the next call of the same function.
  std::span<const uint8_t> read_samples();
  std::span<const uint8_t> read_reference();

 private:
  void decode_blocks(const cl::Buffer& tiles, size_t first, Stage& stage);
  // Notes the tiles of the batch, for result().
  void note(const AttemptOrder& order);
  // Uploads the samples of tiles that the encoder coded itself.
  void upload(std::span<const uint8_t> samples, std::span<const uint32_t> tiles, Stage& stage);

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  const RdFrameBuffers& buffers_;
  const TransformTables tables_;
  TransformPlanes planes_;
  TransformDecision decision_;
  TransformSymbolCoder symbols_;
  cl::Kernel decode_blocks_;
  cl::Buffer texels_;                           // of the decoded blocks; null as long as all frames have a picture
  size_t count_ = 0;                            // of the batch's tiles
  std::vector<uint32_t> numbers_;               // of these tiles
  std::vector<uint8_t> is_transform_;           // of each tile: the latest coding that was kept
  std::optional<PinnedBytes> host_samples_;     // null as long as none are uploaded
  std::vector<uint8_t> read_, read_reference_;  // read_samples(), read_reference()
};

}  // namespace texcast::compact
