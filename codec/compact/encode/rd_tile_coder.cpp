#include "rd_tile_coder.h"

#include <algorithm>

#include "compact/slice_bytes.h"

namespace texcast::compact {

Bytes RdTileCoder::encode(const Slice& slice, const Reference& reference, MutableBytes memory) {
  RdTiles& tiles = with_.tiles;
  // The CPU codes sub-slices, and tiles that became intra because they would reference an unreliable one.
  const bool has_backend_slice =
      slice.sub_slices == 1 && tiles.is_recoded[slice.tile] == 0 && with_.session.has_symbols(slice.tile);
  const bool is_from_backend = has_backend_slice && !with_.session.check().is_running();
  tiles.is_from_backend[slice.tile] = is_from_backend ? 1 : 0;
  if (is_from_backend) return take_from_backend(slice, reference);
  if (with_.session.leads() && with_.source.texels.empty()) {
    tiles.needs_texels[slice.tile] = 1;
    return {};
  }
  const Bytes bytes = encode_by_cpu(slice, reference, memory);
  if (has_backend_slice) compare(slice, bytes);
  tiles.content[slice.tile] = encoder_.slice.content();
  if (slice.sub_slices == 1) {
    symbols_.clear();
    symbols_.append(encoder_.slice.symbols(), 0);
  }
  return bytes;
}

void RdTileCoder::use_raw(const Slice& slice) {
  copy_slice(with_.state.grid, slice, with_.state.texture(), with_.tiles.reconstruction.data());
  with_.tiles.is_from_backend[slice.tile] = 0;
}

Bytes RdTileCoder::take_from_backend(const Slice& slice, const Reference& reference) {
  const EncodedTile& encoded = with_.session.encoded(slice.tile);
  copy_slice(with_.state.grid, slice, with_.session.reconstruction(), with_.tiles.reconstruction.data());
  if (reference.texture != nullptr)
    RdSliceEncoder::add_referenced(with_.state.grid, slice.tile, encoded, *reference.touched);
  with_.tiles.content[slice.tile] = encoded.content;
  return encoded.bytes();
}

Bytes RdTileCoder::encode_by_cpu(const Slice& slice, const Reference& reference, MutableBytes memory) {
  RdTiles& tiles = with_.tiles;
  copy_slice(with_.state.grid, slice, with_.state.texture(), tiles.reconstruction.data());
  const size_t bytes =
      encoder_.slice.encode(with_.state.grid, slice, tiles.parameters[slice.tile], tiles.efforts[slice.tile],
                            tiles.content[slice.tile], with_.source, tiles.reconstruction.data(), reference, memory);
  return memory.last(bytes);
}

void RdTileCoder::compare(const Slice& slice, Bytes by_cpu) {
  const EncodedTile& encoded = with_.session.encoded(slice.tile);
  encoder_.slice.list_symbols(with_.state.grid, encoded, encoder_.joined);
  with_.session.check().compare(
      std::ranges::equal(by_cpu, encoded.bytes()) && encoder_.joined == encoder_.slice.symbols() &&
      encoded.content == encoder_.slice.content() &&
      !differs(with_.state.grid, slice, with_.tiles.reconstruction.data(), with_.session.reconstruction()));
}

}  // namespace texcast::compact
