#include "transform_coder.h"

#include <algorithm>

namespace texcast::compact {

void TransformCoder::start(const AttemptOrder& order, const RdDecision& search, const RdSymbolCoder& blocks,
                           size_t most_slice_bytes, Stages& stages, Stage& download) {
  count_ = order.with_transform();
  if (count_ == 0) return;
  const auto tiles = order.tiles().subspan(order.first_transform());
  const size_t first = search.first() + order.first_transform();
  if (std::ranges::any_of(tiles, [](const TileToEncode& tile) { return !tile.intra; }))
    decision_.prepare_reference(stages.reference);
  decision_.start(search.device_tiles(), first, count_, search.texels(), stages.decision);
  symbols_.start({.tiles = search.device_tiles(),
                  .first = first,
                  .count = count_,
                  .texels = search.texels(),
                  .macroblocks = decision_.macroblocks(),
                  .levels = decision_.levels(),
                  .texture = decision_.texture()},
                 blocks.lists(), most_slice_bytes, stages.coding, download);
  decision_.download(download);
}

void TransformCoder::result(size_t i, EncodedTile& tile, std::vector<BackendSlice>& slices) const {
  switch (symbols_.kept(i)) {
    case KeptCoding::blocks: return;
    case KeptCoding::transform:
      decision_.result(i, tile);
      symbols_.result(i, tile, slices);
      return;
    case KeptCoding::none:
      tile.symbols = {};
      tile.slices = {};
      return;
  }
}

}  // namespace texcast::compact
