// coded_tile_lists.h — the symbols and bytes of a frame's tiles, as one of the coders makes them: on the device, and on
// the host the part that it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/workers.h"
#include "compact/encoder_backend.h"
#include "device_memory.h"
#include "device_queue.h"
#include "kernels/compact.h"

namespace texcast::compact {

// 16-bit numbers of all tiles of a frame.
struct NumberList {
  NumberList(const DeviceQueue& queue, size_t most, size_t of_tile)
      : most_of_tile(of_tile),
        count(most),
        device(queue.memory(most * sizeof(uint16_t))),
        used(queue.memory(sizeof(cl_uint))),
        host(queue.device(), queue.commands(), most * sizeof(uint16_t)) {}
  const uint16_t* numbers() const { return static_cast<const uint16_t*>(host.data()); }

  const size_t most_of_tile, count;
  cl::Buffer device, used;  // `used`: how many a batch uses, counted by the kernel; 0 between batches
  PinnedBytes host;
  size_t usual_of_tile = 64;  // from the previous batch, with some reserve
  size_t place = 0;           // of the next batch in this frame
  // The batch's memory, the end of the downloaded part, and the end of its numbers.
  size_t begin = 0, end = 0, downloaded = 0, used_end = 0;
};

// A frame's tiles may be coded in several batches. `queue` must outlive the lists. Not thread-safe.
class CodedTileLists {
 public:
  // `tiles`: that are coded in a frame, at most. `code_kernel`: of rans.cl, for such symbols.
  CodedTileLists(const DeviceQueue& queue, const TileGrid& grid, size_t tiles, const char* code_kernel);

  void begin_frame() { symbols_.place = words_.place = 0; }
  // Begins a batch of tiles, the first of which is number `first` in the lists of a frame's tiles.
  void begin(size_t first, size_t count);
  // Codes the batch's symbols. `arguments`: those of the kernel between the symbols and the most words of a tile.
  template <typename... Arguments>
  void code(size_t count, size_t most_slice_bytes, Stage& stage, const Arguments&... arguments) {
    set_arguments(code_, static_cast<cl_uint>(count), static_cast<cl_int>(first_), symbols_.device, arguments...,
                  static_cast<cl_uint>(most_words(most_slice_bytes)), static_cast<cl_uint>(words_.most_of_tile),
                  static_cast<cl_uint>(words_.begin), words_.used, words_by_tile_, tiles_.device());
    queue_.launch(code_, count, stage, kCodeItems);
  }
  // Puts the tiles' words one after the other.
  void gather(size_t count, Stage& stage);

  const NumberList& symbols() const { return symbols_; }
  const cl::Buffer& device_tiles() const { return tiles_.device(); }
  size_t first() const { return first_; }
  // The batch has memory for whatever bytes its tiles need.
  bool is_coded() const { return is_coded_; }

  void download_tiles(size_t count, Stage& stage);
  // Downloads as many symbols and words as tiles usually have.
  void download_usual(size_t count, Stage& stage);
  // Call it after DeviceQueue::wait(). True: there were more than usual, and the caller must wait again.
  bool download_rest(size_t count, Workers& workers, Stage& stage);
  // Then the tile and its numbers are valid.
  const texcast_coded_tile& tile(size_t i) const { return tiles_.host()[first_ + i]; }
  // The symbols and bytes of a tile. Without memory for all, or for its symbols, it has neither.
  void result(size_t i, EncodedTile& tile, BackendSlice& slice) const;
  // Updates the usual numbers.
  void end_batch(size_t count);

 private:
  static constexpr size_t kCodeItems = 16;  // tiles take about the same time
  size_t most_words(size_t most_slice_bytes) const;
  bool has_symbols(const texcast_coded_tile& tile) const { return is_coded_ && tile.first != TEXCAST_LOSSY_NO_ROOM; }
  size_t symbol_count(const texcast_coded_tile& tile) const { return tile.end[components_ - 1]; }
  void find_used_ends(size_t count, Workers& workers);
  void download(const NumberList& list, size_t begin, size_t end, Stage& stage) const;

  const DeviceQueue& queue_;
  const size_t components_;
  cl::Kernel code_, gather_;
  NumberList symbols_, words_;
  cl::Buffer words_by_tile_;
  MirroredList<texcast_coded_tile> tiles_;
  size_t first_ = 0;  // of the batch, in tiles_
  bool is_coded_ = false;
};

}  // namespace texcast::compact
