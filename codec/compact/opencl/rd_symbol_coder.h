// rd_symbol_coder.h — codes the decisions of tiles as symbols, and these as bytes.
#pragma once

#include <vector>

#include "coded_tile_lists.h"
#include "compact/encoder_backend.h"
#include "rd_decision.h"
#include "rd_frame_buffers.h"
#include "rd_tables.h"

namespace texcast::compact {

class RdSymbolCoder {
 public:
  RdSymbolCoder(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers, const RdTables& tables);

  void begin_frame() { lists_.begin_frame(); }
  // Codes the first `count` tiles of the latest RdDecision::start().
  void start(const RdDecision& decision, size_t count, size_t most_slice_bytes, Stage& stage);
  // For the calls after start(), see CodedTileLists.
  const CodedTileLists& lists() const { return lists_; }
  void download_usual(size_t count, Stage& stage) { lists_.download_usual(count, stage); }
  bool download_rest(size_t count, Workers& workers, Stage& stage) {
    return lists_.download_rest(count, workers, stage);
  }
  // Then the tile's symbols and bytes are valid.
  void result(size_t i, EncodedTile& tile, BackendSlice& slice) const;
  void end_batch(size_t count) { lists_.end_batch(count); }

 private:
  void put_symbols(const RdDecision& decision, size_t count, Stage& stage);

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  const RdFrameBuffers& buffers_;
  const RdTables& tables_;
  cl::Kernel put_symbols_;
  CodedTileLists lists_;
};

}  // namespace texcast::compact
