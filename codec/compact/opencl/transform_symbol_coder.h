// transform_symbol_coder.h — codes the macroblocks of tiles as symbols, and these as bytes, and chooses between this
// coding of a tile and that of blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "coded_tile_lists.h"
#include "compact/encoder_backend.h"
#include "rd_frame_buffers.h"
#include "rd_tables.h"
#include "transform_tables.h"

namespace texcast::compact {

// The coding of a tile that was kept. None: the device lacks memory, or the transform coding has no room and block
// coding was not tried; the encoder codes the tile itself.
enum class KeptCoding : uint8_t { none, blocks, transform };

// The tiles of a batch with a transform attempt, and what was decided about them. The buffers are borrowed until the
// commands of start() are done.
struct TransformTiles {
  const cl::Buffer& tiles;   // texcast_lossy_tile[]: RdDecision::device_tiles()
  size_t first = 0;          // the first tile with a transform attempt, in `tiles`
  size_t count = 0;          // of such tiles; those with both attempts come first
  const cl::Buffer& texels;  // that the tiles approximate: 16 bytes in the position of each sub-block
  // The results of mode decision: texcast_macroblock[tile][8] and short[tile][8][12][64], with tiles counted from
  // `first` on, and sub-blocks in their positions.
  const cl::Buffer &macroblocks, &levels, &texture;
};

// Calls in a frame: begin_frame(); then for each batch start(), download_usual(), DeviceQueue::wait(), download_rest(),
// kept() and result() of each tile, and end_batch(). `count` and `i` are about TransformTiles. The grid
// can_transform(); it, the buffers and the tables must outlive the coder. Not thread-safe.
class TransformSymbolCoder {
 public:
  TransformSymbolCoder(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers,
                       const RdTables& tables, const TransformTables& transform_tables);

  void begin_frame() { lists_.begin_frame(); }
  // Codes the tiles, and copies those whose transform coding is kept to RdFrameBuffers::reconstruction. `blocks`: of
  // the same batch; the tiles with both attempts are coded there (RdSymbolCoder::lists()) until `blocks_done`.
  void start(const TransformTiles& tiles, const CodedTileLists& blocks, const cl::Event& blocks_done,
             size_t most_slice_bytes, Stage& coding, Stage& download);
  // As CodedTileLists.
  void download_usual(size_t count, Stage& stage) { lists_.download_usual(count, stage); }
  bool download_rest(size_t count, Workers& workers, Stage& stage) {
    return lists_.download_rest(count, workers, stage);
  }
  KeptCoding kept(size_t i) const;
  // The content, symbols and bytes of a tile of which KeptCoding::transform is kept.
  void result(size_t i, EncodedTile& tile, BackendSlice& slice) const;
  void end_batch(size_t count) { lists_.end_batch(count); }

 private:
  void put_symbols(const TransformTiles& tiles, Stage& stage);
  void choose(const TransformTiles& tiles, const CodedTileLists& blocks, Stage& stage);

  const DeviceQueue& queue_;
  const RdFrameBuffers& buffers_;
  const RdTables& tables_;
  const TransformTables& transform_tables_;
  cl::Kernel put_symbols_, choose_;
  CodedTileLists lists_;
};

}  // namespace texcast::compact
