// transform_coder.h — transform coding of the tiles of a batch that are to be attempted by it, and the choice between
// it and block coding.
#pragma once

#include <span>
#include <vector>

#include "attempt_order.h"
#include "compact/encoder_backend.h"
#include "rd_decision.h"
#include "rd_frame_buffers.h"
#include "rd_symbol_coder.h"
#include "rd_tables.h"
#include "transform_decision.h"
#include "transform_symbol_coder.h"
#include "transform_tables.h"

namespace texcast::compact {

// The grid can_transform(); it, the buffers and the tables must outlive the coder. Calls in a frame as those of
// TransformSymbolCoder. Not thread-safe.
class TransformCoder {
 public:
  struct Stages {
    Stage source;     // texels to approximate, if there is no picture
    Stage reference;  // planes of the reference frame
    Stage decision;   // macroblocks
    Stage coding;     // symbols, bytes and the choice
  };

  TransformCoder(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers, const RdTables& tables);

  void begin_frame() {
    decision_.begin_frame();
    symbols_.begin_frame();
  }
  // `search`: has started the batch. `has_picture`: what lossy coding approximates is a picture; else it is the decoded
  // blocks. `blocks`: codes the tiles with both attempts.
  void start(const AttemptOrder& order, const RdDecision& search, bool has_picture, const RdSymbolCoder& blocks,
             size_t most_slice_bytes, Stages& stages, Stage& download);
  void download_usual(Stage& stage) {
    if (count_ > 0) symbols_.download_usual(count_, stage);
  }
  bool download_rest(Stage& stage) { return count_ > 0 && symbols_.download_rest(count_, stage); }
  // The result of tile `i` of those with a transform attempt. `tile` has that of block coding, if it was attempted.
  void result(size_t i, EncodedTile& tile, BackendSlice& slice) const;
  void end_batch() {
    if (count_ > 0) symbols_.end_batch(count_);
  }

 private:
  void decode_blocks(const cl::Buffer& tiles, size_t first, Stage& stage);

  const DeviceQueue& queue_;
  const RdFrameBuffers& buffers_;
  const TransformTables tables_;
  TransformDecision decision_;
  TransformSymbolCoder symbols_;
  cl::Kernel decode_blocks_;
  cl::Buffer texels_;  // of the decoded blocks; null as long as all frames have a picture
  size_t count_ = 0;   // of the batch's tiles
};

}  // namespace texcast::compact
