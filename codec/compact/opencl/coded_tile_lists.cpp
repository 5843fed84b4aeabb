#include "coded_tile_lists.h"

#include <algorithm>
#include <atomic>

#include "base/ensure.h"
#include "ocl/program.h"
#include "rd_frame_buffers.h"

namespace texcast::compact {
namespace {

constexpr size_t kGatherItems = 64;  // one work-group for each tile
// Symbols per sub-block, on average over the tiles of a batch. There is no memory for more. Few films need three.
constexpr size_t kSymbolsOfSubBlock = 16;

// The tiles of a frame, and those encoded on trial: at most an eighth and some.
size_t tiles_with_trials(const TileGrid& grid) { return grid.tiles() + grid.tiles() / 8 + 32; }

void begin_batch(NumberList& list, size_t count) {
  list.begin = list.place;
  list.end = list.place = std::min(list.begin + count * list.most_of_tile, list.count);
}

}  // namespace

CodedTileLists::CodedTileLists(const DeviceQueue& queue, const TileGrid& grid, size_t tiles, const char* code_kernel)
    : queue_(queue),
      components_(static_cast<size_t>(grid.component_count())),
      symbols_(queue, tiles_with_trials(grid) * kSymbolsOfSubBlock * sub_blocks_of_tile(grid),
               kSymbolsOfSubBlock * sub_blocks_of_tile(grid)),
      words_(queue, tiles_with_trials(grid) * (grid.most_raw_bytes(1) / 2), grid.most_raw_bytes(1) / 2),
      words_by_tile_(queue.memory(words_.count * sizeof(uint16_t))),
      tiles_(queue.device(), queue.commands(), tiles) {
  const cl::Program rans = ocl::build_program(queue.device(), "compact/rans.cl", "");
  code_ = cl::Kernel(rans, code_kernel);
  gather_ = cl::Kernel(rans, "gather_tiles");
  for (const NumberList* list : {&symbols_, &words_})
    queue.commands().enqueueFillBuffer(list->used, cl_uint{0}, 0, sizeof(cl_uint));
}

void CodedTileLists::begin(size_t first, size_t count) {
  first_ = first;
  begin_batch(symbols_, count);
  begin_batch(words_, count);
  is_coded_ = words_.end - words_.begin == count * words_.most_of_tile;
}

size_t CodedTileLists::most_words(size_t most_slice_bytes) const {
  return is_coded_ ? std::min(most_slice_bytes / 2, words_.most_of_tile) : 0;
}

void CodedTileLists::gather(size_t count, Stage& stage) {
  set_arguments(gather_, static_cast<cl_int>(first_), words_by_tile_, tiles_.device(),
                static_cast<cl_uint>(words_.most_of_tile), words_.device, symbols_.used, words_.used);
  queue_.launch_groups(gather_, count, kGatherItems, stage);
}

void CodedTileLists::download_tiles(size_t count, Stage& stage) {
  queue_.download(tiles_.device(), first_ * sizeof(texcast_coded_tile), count * sizeof(texcast_coded_tile),
                  tiles_.host().data() + first_, stage);
}

void CodedTileLists::download_usual(size_t count, Stage& stage) {
  for (NumberList* list : {&symbols_, &words_}) {
    list->downloaded = std::min(list->begin + count * list->usual_of_tile, list->end);
    download(*list, list->begin, list->downloaded, stage);
  }
}

void CodedTileLists::download(const NumberList& list, size_t begin, size_t end, Stage& stage) const {
  if (begin >= end) return;
  const size_t at = begin * sizeof(uint16_t), bytes = (end - begin) * sizeof(uint16_t);
  queue_.download(list.device, at, bytes, static_cast<std::byte*>(list.host.data()) + at, stage);
}

bool CodedTileLists::download_rest(size_t count, Workers& workers, Stage& stage) {
  find_used_ends(count, workers);
  if (symbols_.used_end <= symbols_.downloaded && words_.used_end <= words_.downloaded) return false;
  for (const NumberList* list : {&symbols_, &words_}) download(*list, list->downloaded, list->used_end, stage);
  return true;
}

void CodedTileLists::find_used_ends(size_t count, Workers& workers) {
  constexpr size_t kTiles = 256;  // of an item
  std::atomic<size_t> symbols_end = symbols_.begin, words_end = words_.begin;
  const auto raise = [](std::atomic<size_t>& most, size_t value) {
    for (size_t now = most; now < value && !most.compare_exchange_weak(now, value);) {
    }
  };
  workers.parallel_for((count + kTiles - 1) / kTiles, [&](size_t item) {
    size_t of_symbols = 0, of_words = 0;
    for (size_t i = item * kTiles; i < std::min((item + 1) * kTiles, count); ++i) {
      const texcast_coded_tile& tile = this->tile(i);
      if (!has_symbols(tile)) continue;
      const size_t end = tile.first + symbol_count(tile);
      ENSURE(tile.first >= symbols_.begin && end <= symbols_.end);
      of_symbols = std::max(of_symbols, end);
      if (tile.words == 0) continue;
      ENSURE(tile.first_word >= words_.begin && tile.first_word + size_t{tile.words} <= words_.end);
      of_words = std::max(of_words, tile.first_word + size_t{tile.words});
    }
    raise(symbols_end, of_symbols);
    raise(words_end, of_words);
  });
  symbols_.used_end = symbols_end;
  words_.used_end = words_end;
}

void CodedTileLists::result(size_t i, EncodedTile& tile, BackendSlice& slice) const {
  const texcast_coded_tile& coded = this->tile(i);
  if (!has_symbols(coded)) return;
  std::ranges::copy(coded.end, tile.ends.begin());
  tile.symbols = {symbols_.numbers() + coded.first, symbol_count(coded)};
  if (coded.words == 0) return;
  slice.bytes = {reinterpret_cast<const std::byte*>(words_.numbers() + coded.first_word),
                 coded.words * sizeof(uint16_t)};
  tile.slices[0] = {&slice, 1};
}

void CodedTileLists::end_batch(size_t count) {
  if (count == 0) return;
  for (NumberList* list : {&symbols_, &words_})
    list->usual_of_tile = (list->used_end - list->begin) * 9 / 8 / count + 8;
}

}  // namespace texcast::compact
