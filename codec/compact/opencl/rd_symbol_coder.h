// rd_symbol_coder.h — the decisions of tiles as symbols, and those as bytes.
#pragma once

#include <vector>

#include "compact/encoder_backend.h"
#include "rd_decision.h"
#include "rd_frame_buffers.h"
#include "rd_tables.h"

namespace texcast::compact {

// Lists of 16-bit numbers of all tiles of a frame: on the device, and the part of it that the host needs.
struct NumberList {
  NumberList(const DeviceQueue& queue, size_t most, size_t of_tile)
      : most_of_tile(of_tile),
        count(most),
        device(queue.memory(most * sizeof(uint16_t))),
        used(queue.memory(sizeof(cl_uint))),
        host(queue.device(), queue.commands(), most * sizeof(uint16_t)) {}
  const uint16_t* numbers() const { return static_cast<const uint16_t*>(host.data()); }

  const size_t most_of_tile, count;
  cl::Buffer device, used;  // `used`: of a batch, by the kernel
  PinnedBytes host;
  size_t usual_of_tile = 64;  // in the frames before
  size_t place = 0;           // in this frame, where the next batch begins
  // Of the batch: its room, to where it was downloaded, and the end of the numbers that it has.
  size_t begin = 0, end = 0, downloaded = 0, used_end = 0;
};

class RdSymbolCoder {
 public:
  RdSymbolCoder(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers, const RdTables& tables);

  void begin_frame() { symbols_.place = words_.place = 0; }
  // Of the tiles that `decision` was given last.
  void start(const RdDecision& decision, size_t count, size_t most_slice_bytes, Stage& coding, Stage& download);
  // As many symbols and words as tiles usually have.
  void download_usual(size_t count, Stage& stage);
  // After DeviceQueue::wait(). True: there were more than usual, and they are to be waited for again.
  bool download_rest(size_t count, Stage& stage);
  // Then: their symbols and bytes.
  void result(size_t i, EncodedTile& tile, std::vector<BackendSlice>& slices) const;
  // Learns how many tiles usually have.
  void end_batch(size_t count);

 private:
  void begin_batch(NumberList& list, size_t count, Stage& stage) const;
  void put_symbols(const RdDecision& decision, size_t count, Stage& stage);
  void code(size_t count, size_t most_slice_bytes, Stage& stage);
  bool has_symbols(const texcast_lossy_told& tile) const;
  void download(const NumberList& list, size_t begin, size_t end, Stage& stage) const;

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  const RdFrameBuffers& buffers_;
  const RdTables& tables_;
  cl::Kernel put_symbols_, code_, gather_;
  NumberList symbols_, words_;
  cl::Buffer words_by_tile_;
  MirroredList<texcast_lossy_told> tiles_;
  size_t first_ = 0;       // of the batch, in tiles_
  bool is_coded_ = false;  // the batch has room for whatever its tiles take
};

}  // namespace texcast::compact
