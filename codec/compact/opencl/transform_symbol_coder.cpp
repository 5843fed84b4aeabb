#include "transform_symbol_coder.h"

#include <string>

#include "base/ensure.h"
#include "ocl/program.h"
#include "rd_decision.h"

namespace texcast::compact {
namespace {

constexpr size_t kTransformPutItems = 64, kChooseItems = 64;  // one work-group for each tile
constexpr size_t kMostUnits = TEXCAST_MACROBLOCKS * (1 + TEXCAST_TRANSFORM_BLOCKS);

static_assert(static_cast<uint32_t>(KeptCoding::none) == TEXCAST_KEPT_NONE &&
              static_cast<uint32_t>(KeptCoding::blocks) == TEXCAST_KEPT_BLOCKS &&
              static_cast<uint32_t>(KeptCoding::transform) == TEXCAST_KEPT_TRANSFORM);
static_assert(sizeof(texcast_coded_tile) == 10 * 4 && sizeof(texcast_macroblock) == 4 * 4);

std::string items(const char* name, size_t items) {
  return std::string("-DCHANNEL=1 -D").append(name).append("=").append(std::to_string(items));
}

}  // namespace

TransformSymbolCoder::TransformSymbolCoder(const DeviceQueue& queue, const TileGrid& grid,
                                           const RdFrameBuffers& buffers, const RdTables& tables,
                                           const TransformTables& transform_tables)
    : queue_(queue),
      buffers_(buffers),
      tables_(tables),
      transform_tables_(transform_tables),
      put_symbols_(
          ocl::build_program(queue.device(), "compact/transform_symbols.cl", items("SYMBOL_ITEMS", kTransformPutItems)),
          "symbolise_transform"),
      choose_(ocl::build_program(queue.device(), "compact/transform_choose.cl", items("CHOOSE_ITEMS", kChooseItems)),
              "choose_coding"),
      lists_(queue, grid, RdDecision::kMostBatches * size_t{grid.tiles()}, "code_transform_tiles") {}

void TransformSymbolCoder::start(const TransformTiles& tiles, const CodedTileLists& blocks,
                                 const cl::Event& blocks_done, size_t most_slice_bytes, Stage& coding,
                                 Stage& downloading) {
  lists_.begin(tiles.first, tiles.count);
  if (tiles.count == 0) return;
  put_symbols(tiles, coding);
  lists_.code(tiles.count, most_slice_bytes, coding, transform_tables_.slots, tiles.tiles);
  lists_.gather(tiles.count, coding);
  queue_.wait_on_device(blocks_done);
  choose(tiles, blocks, coding);
  lists_.download_tiles(tiles.count, downloading);
}

void TransformSymbolCoder::put_symbols(const TransformTiles& tiles, Stage& stage) {
  const NumberList& symbols = lists_.symbols();
  set_arguments(put_symbols_, tables_.components, tiles.tiles, static_cast<cl_int>(tiles.first), tiles.macroblocks,
                tiles.levels, static_cast<cl_uint>(symbols.begin), static_cast<cl_uint>(symbols.end), symbols.used,
                symbols.device, lists_.device_tiles(), cl::Local(kMostUnits * sizeof(cl_uint)),
                cl::Local(kTransformPutItems * TEXCAST_MAGNITUDE_ROWS * sizeof(cl_uint)), cl::Local(sizeof(cl_uint)));
  queue_.launch_groups(put_symbols_, tiles.count, kTransformPutItems, stage);
}

void TransformSymbolCoder::choose(const TransformTiles& tiles, const CodedTileLists& blocks, Stage& stage) {
  // Without memory for whatever a coding needs, it seems to have no room.
  const bool can_compare = lists_.is_coded() && blocks.is_coded();
  set_arguments(choose_, tables_.components, tiles.tiles, static_cast<cl_int>(tiles.first),
                static_cast<cl_int>(can_compare), tiles.texels, tiles.texture, blocks.device_tiles(),
                lists_.device_tiles(), buffers_.reconstruction, cl::Local(kChooseItems * sizeof(cl_long)),
                cl::Local(sizeof(cl_uint)));
  queue_.launch_groups(choose_, tiles.count, kChooseItems, stage);
}

KeptCoding TransformSymbolCoder::kept(size_t i) const {
  const uint32_t kept = lists_.tile(i).kept;
  ENSURE(kept <= TEXCAST_KEPT_TRANSFORM);
  return static_cast<KeptCoding>(kept);
}

void TransformSymbolCoder::result(size_t i, EncodedTile& tile, BackendSlice& slice) const {
  tile.content = Content::transform;
  lists_.result(i, tile, slice);
}

}  // namespace texcast::compact
