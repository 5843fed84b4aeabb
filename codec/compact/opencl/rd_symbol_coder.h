// rd_symbol_coder.h — codes the decisions of tiles as symbols, and these as bytes.
#pragma once

#include <vector>

#include "compact/encoder_backend.h"
#include "rd_decision.h"
#include "rd_frame_buffers.h"
#include "rd_tables.h"

namespace texcast::compact {

// 16-bit numbers of all tiles of a frame: on the device, and on the host the part that it needs.
struct NumberList {
  NumberList(const DeviceQueue& queue, size_t most, size_t of_tile)
      : most_of_tile(of_tile),
        count(most),
        device(queue.memory(most * sizeof(uint16_t))),
        used(queue.memory(sizeof(cl_uint))),
        host(queue.device(), queue.commands(), most * sizeof(uint16_t)) {}
  const uint16_t* numbers() const { return static_cast<const uint16_t*>(host.data()); }

  const size_t most_of_tile, count;
  cl::Buffer device, used;  // `used`: how many a batch uses, counted by the kernel
  PinnedBytes host;
  size_t usual_of_tile = 64;  // from the previous batch, with some reserve
  size_t place = 0;           // of the next batch in this frame
  // The batch's memory, the end of the downloaded part, and the end of its numbers.
  size_t begin = 0, end = 0, downloaded = 0, used_end = 0;
};

class RdSymbolCoder {
 public:
  RdSymbolCoder(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers, const RdTables& tables);

  void begin_frame() { symbols_.place = words_.place = 0; }
  // Codes the tiles of the latest RdDecision::start().
  void start(const RdDecision& decision, size_t count, size_t most_slice_bytes, Stage& coding, Stage& download);
  // Downloads as many symbols and words as tiles usually have.
  void download_usual(size_t count, Stage& stage);
  // Call it after DeviceQueue::wait(). True: there were more than usual, and the caller must wait again.
  bool download_rest(size_t count, Stage& stage);
  // Then the tile's symbols and bytes are valid.
  void result(size_t i, EncodedTile& tile, std::vector<BackendSlice>& slices) const;
  // Updates the usual numbers.
  void end_batch(size_t count);

 private:
  void begin_batch(NumberList& list, size_t count, Stage& stage) const;
  void put_symbols(const RdDecision& decision, size_t count, Stage& stage);
  void code(size_t count, size_t most_slice_bytes, Stage& stage);
  bool has_symbols(const texcast_coded_tile& tile) const;
  void download(const NumberList& list, size_t begin, size_t end, Stage& stage) const;

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  const RdFrameBuffers& buffers_;
  const RdTables& tables_;
  cl::Kernel put_symbols_, code_, gather_;
  NumberList symbols_, words_;
  cl::Buffer words_by_tile_;
  MirroredList<texcast_coded_tile> tiles_;
  size_t first_ = 0;       // of the batch, in tiles_
  bool is_coded_ = false;  // the batch has memory for whatever its tiles need
};

}  // namespace texcast::compact
