#include "rd_symbol_coder.h"

#include <string>

#include "base/ensure.h"
#include "ocl/program.h"

namespace texcast::compact {
namespace {

constexpr size_t kPutItems = 64;  // one work-group for each tile

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
      lists_(queue, grid, RdDecision::kMostBatches * size_t{grid.tiles()}, "code_tiles") {}

void RdSymbolCoder::start(const RdDecision& decision, size_t count, size_t most_slice_bytes, Stage& stage) {
  lists_.begin(decision.first(), count);
  if (count == 0) return;
  put_symbols(decision, count, stage);
  lists_.code(count, most_slice_bytes, stage, tables_.slots, grid_.component_count());
  lists_.gather(count, stage);
  lists_.download_tiles(count, stage);
}

void RdSymbolCoder::put_symbols(const RdDecision& decision, size_t count, Stage& stage) {
  const NumberList& symbols = lists_.symbols();
  set_arguments(put_symbols_, tables_.components, grid_.component_count(), decision.device_tiles(),
                static_cast<cl_int>(lists_.first()), tables_.costs, buffers_.reconstruction, decision.choices(),
                static_cast<cl_uint>(symbols.begin), static_cast<cl_uint>(symbols.end), symbols.used, symbols.device,
                lists_.device_tiles(), cl::Local(kPutItems * sizeof(cl_uint)),
                cl::Local(TEXCAST_CONTENTS * kPutItems * sizeof(cl_int)), cl::Local(3 * sizeof(cl_uint)));
  queue_.launch_groups(put_symbols_, count, kPutItems, stage);
}

void RdSymbolCoder::result(size_t i, EncodedTile& tile, BackendSlice& slice) const {
  const uint32_t content = lists_.tile(i).content;
  ENSURE(content < kContents);
  tile.content = tile.block_content = static_cast<Content>(content);
  lists_.result(i, tile, slice);
}

}  // namespace texcast::compact
