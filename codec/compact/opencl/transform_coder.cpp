#include "transform_coder.h"

#include "ocl/program.h"

namespace texcast::compact {
namespace {

bool has_inter(const AttemptOrder& order) {
  for (size_t place = order.first_transform(); place < order.size(); ++place)
    if (!order.tile(place).intra) return true;
  return false;
}

}  // namespace

TransformCoder::TransformCoder(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers,
                               const RdTables& tables)
    : queue_(queue),
      buffers_(buffers),
      tables_(queue.device(), grid),
      decision_(queue, grid, buffers, tables, tables_),
      symbols_(queue, grid, buffers, tables, tables_),
      decode_blocks_(ocl::build_program(queue.device(), "compact/transform_source.cl", "-DCHANNEL=1"),
                     "decode_blocks") {}

void TransformCoder::start(const AttemptOrder& order, const RdDecision& search, bool has_picture,
                           const RdSymbolCoder& blocks, size_t most_slice_bytes, Stages& stages, Stage& download) {
  count_ = order.with_transform();
  if (count_ == 0) return;
  const size_t first = search.first() + order.first_transform();
  if (!has_picture) decode_blocks(search.device_tiles(), first, stages.source);
  const cl::Buffer& texels = has_picture ? search.texels() : texels_;
  if (has_inter(order)) decision_.prepare_reference(stages.reference);
  decision_.start(search.device_tiles(), first, count_, texels, stages.decision);
  symbols_.start({.tiles = search.device_tiles(),
                  .first = first,
                  .count = count_,
                  .texels = texels,
                  .macroblocks = decision_.macroblocks(),
                  .levels = decision_.levels(),
                  .texture = decision_.texture()},
                 blocks.lists(), most_slice_bytes, stages.coding, download);
  decision_.download(download);
}

void TransformCoder::decode_blocks(const cl::Buffer& tiles, size_t first, Stage& stage) {
  if (texels_() == nullptr) texels_ = queue_.memory(buffers_.sub_blocks * sizeof(SubBlockTexels));
  for (const texcast_component& component : buffers_.components) {
    set_arguments(decode_blocks_, component, tiles, static_cast<cl_int>(first), static_cast<cl_uint>(count_),
                  buffers_.texture, texels_);
    queue_.launch(decode_blocks_, count_ * sub_blocks_of_tile(component), stage);
  }
}

void TransformCoder::result(size_t i, EncodedTile& tile, BackendSlice& slice) const {
  switch (symbols_.kept(i)) {
    case KeptCoding::blocks: return;
    case KeptCoding::transform:
      decision_.result(i, tile);
      symbols_.result(i, tile, slice);
      return;
    case KeptCoding::none:
      tile.symbols = {};
      tile.slices = {};
      return;
  }
}

}  // namespace texcast::compact
