#include "rd_symbol_coder.h"

#include <algorithm>
#include <string>

#include "base/ensure.h"
#include "ocl/program.h"

namespace texcast::compact {
namespace {

constexpr size_t kPutItems = 64;     // one work-group for each tile
constexpr size_t kCodeItems = 16;    // tiles take about the same time
constexpr size_t kGatherItems = 64;  // one work-group for each tile
// Symbols per sub-block, on average over the tiles of a batch. There is no memory for more. Few films need three.
constexpr size_t kSymbolsOfSubBlock = 16;

// The tiles of a frame, and those encoded on trial: at most an eighth and some.
size_t tiles_with_trials(const TileGrid& grid) { return grid.tiles() + grid.tiles() / 8 + 32; }

}  // namespace

RdSymbolCoder::RdSymbolCoder(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers,
                             const RdTables& tables)
    : queue_(queue),
      grid_(grid),
      buffers_(buffers),
      tables_(tables),
      put_symbols_(ocl::build_program(queue.device(), "compact/rd_symbols.cl",
                                      std::string("-DCHANNEL=1 -DSYMBOL_ITEMS=").append(std::to_string(kPutItems))),
                   "symbolise_tiles"),
      symbols_(queue, tiles_with_trials(grid) * kSymbolsOfSubBlock * sub_blocks_of_tile(grid),
               kSymbolsOfSubBlock * sub_blocks_of_tile(grid)),
      words_(queue, tiles_with_trials(grid) * (grid.most_raw_bytes(1) / 2), grid.most_raw_bytes(1) / 2),
      words_by_tile_(queue.memory(words_.count * sizeof(uint16_t))),
      tiles_(queue.device(), queue.commands(), RdDecision::kMostBatches * size_t{grid.tiles()}) {
  const cl::Program rans = ocl::build_program(queue.device(), "compact/rans.cl", "");
  code_ = cl::Kernel(rans, "code_tiles");
  gather_ = cl::Kernel(rans, "gather_tiles");
}

void RdSymbolCoder::start(const RdDecision& decision, size_t count, size_t most_slice_bytes, Stage& coding,
                          Stage& downloading) {
  first_ = decision.first();
  begin_batch(symbols_, count, coding);
  put_symbols(decision, count, coding);
  begin_batch(words_, count, coding);
  code(count, most_slice_bytes, coding);
  decision.download(count, downloading);
  queue_.download(tiles_.device(), first_ * sizeof(texcast_coded_tile), count * sizeof(texcast_coded_tile),
                  tiles_.host().data() + first_, downloading);
}

void RdSymbolCoder::begin_batch(NumberList& list, size_t count, Stage& stage) const {
  list.begin = list.place;
  list.end = list.place = std::min(list.begin + count * list.most_of_tile, list.count);
  queue_.clear(list.used, sizeof(cl_uint), stage);
}

void RdSymbolCoder::put_symbols(const RdDecision& decision, size_t count, Stage& stage) {
  set_arguments(put_symbols_, tables_.components, grid_.component_count(), decision.device_tiles(),
                static_cast<cl_int>(first_), tables_.costs, buffers_.reconstruction, decision.choices(),
                static_cast<cl_uint>(symbols_.begin), static_cast<cl_uint>(symbols_.end), symbols_.used,
                symbols_.device, tiles_.device(), cl::Local(kPutItems * sizeof(cl_uint)),
                cl::Local(TEXCAST_CONTENTS * kPutItems * sizeof(cl_int)), cl::Local(3 * sizeof(cl_uint)));
  queue_.launch_groups(put_symbols_, count, kPutItems, stage);
}

void RdSymbolCoder::code(size_t count, size_t most_slice_bytes, Stage& stage) {
  is_coded_ = words_.end - words_.begin == count * words_.most_of_tile;
  const size_t most_words = is_coded_ ? std::min(most_slice_bytes / 2, words_.most_of_tile) : 0;
  const auto stride = static_cast<cl_uint>(words_.most_of_tile);
  const auto first = static_cast<cl_int>(first_);
  set_arguments(code_, static_cast<cl_uint>(count), first, symbols_.device, tables_.slots, grid_.component_count(),
                static_cast<cl_uint>(most_words), stride, static_cast<cl_uint>(words_.begin), words_.used,
                words_by_tile_, tiles_.device());
  queue_.launch(code_, count, stage, kCodeItems);
  set_arguments(gather_, first, words_by_tile_, tiles_.device(), stride, words_.device);
  queue_.launch_groups(gather_, count, kGatherItems, stage);
}

void RdSymbolCoder::download_usual(size_t count, Stage& stage) {
  for (NumberList* list : {&symbols_, &words_}) {
    list->downloaded = std::min(list->begin + count * list->usual_of_tile, list->end);
    download(*list, list->begin, list->downloaded, stage);
  }
}

void RdSymbolCoder::download(const NumberList& list, size_t begin, size_t end, Stage& stage) const {
  if (begin >= end) return;
  const size_t at = begin * sizeof(uint16_t), bytes = (end - begin) * sizeof(uint16_t);
  queue_.download(list.device, at, bytes, static_cast<std::byte*>(list.host.data()) + at, stage);
}

bool RdSymbolCoder::download_rest(size_t count, Stage& stage) {
  symbols_.used_end = symbols_.begin;
  words_.used_end = words_.begin;
  for (size_t i = 0; i < count; ++i) {
    const texcast_coded_tile& tile = tiles_.host()[first_ + i];
    ENSURE(tile.content < kContents);
    if (!has_symbols(tile)) continue;
    const size_t end = tile.first + size_t{tile.end[grid_.component_count() - 1]};
    ENSURE(tile.first >= symbols_.begin && end <= symbols_.end);
    symbols_.used_end = std::max(symbols_.used_end, end);
    if (tile.words == 0) continue;
    ENSURE(tile.first_word >= words_.begin && tile.first_word + size_t{tile.words} <= words_.end);
    words_.used_end = std::max(words_.used_end, tile.first_word + size_t{tile.words});
  }
  if (symbols_.used_end <= symbols_.downloaded && words_.used_end <= words_.downloaded) return false;
  for (const NumberList* list : {&symbols_, &words_}) download(*list, list->downloaded, list->used_end, stage);
  return true;
}

bool RdSymbolCoder::has_symbols(const texcast_coded_tile& tile) const {
  return is_coded_ && tile.first != TEXCAST_LOSSY_NO_ROOM;
}

void RdSymbolCoder::result(size_t i, EncodedTile& tile, std::vector<BackendSlice>& slices) const {
  const texcast_coded_tile& coded = tiles_.host()[first_ + i];
  tile.content = tile.block_content = static_cast<Content>(coded.content);
  if (!has_symbols(coded)) return;
  std::ranges::copy(coded.end, tile.ends.begin());
  tile.symbols = {symbols_.numbers() + coded.first, coded.end[grid_.component_count() - 1]};
  if (coded.words == 0) return;
  BackendSlice& slice = slices.emplace_back();
  slice.bytes = {reinterpret_cast<const std::byte*>(words_.numbers() + coded.first_word),
                 coded.words * sizeof(uint16_t)};
  tile.slices[0] = {&slice, 1};
}

void RdSymbolCoder::end_batch(size_t count) {
  if (count == 0) return;
  for (NumberList* list : {&symbols_, &words_})
    list->usual_of_tile = (list->used_end - list->begin) * 9 / 8 / count + 8;
}

}  // namespace texcast::compact
