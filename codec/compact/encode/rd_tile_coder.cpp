#include "rd_tile_coder.h"

#include <algorithm>
#include <utility>

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
  if (slice.sub_slices == 1) {
    symbols_.clear();
    symbols_.append(
        tiles.content[slice.tile] == Content::transform ? encoder_.transform.symbols() : encoder_.slice.symbols(), 0);
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
  with_.tiles.content[slice.tile] = with_.tiles.block_content[slice.tile] = encoded.content;
  return encoded.bytes();
}

Bytes RdTileCoder::encode_by_cpu(const Slice& slice, const Reference& reference, MutableBytes memory) {
  const CodingAttempt attempt = this->attempt(slice);
  Bytes bytes;
  switch (attempt) {
    case CodingAttempt::blocks: bytes = encode_blocks(slice, reference, memory); break;
    case CodingAttempt::transform:
      bytes = encode_transform(slice, reference, memory);
      if (bytes.empty()) bytes = encode_blocks(slice, reference, memory);
      break;
    case CodingAttempt::both: bytes = encode_both(slice, reference, memory); break;
  }
  RdTiles& tiles = with_.tiles;
  if (slice.sub_slices == 1 && !bytes.empty())
    tiles.choices[slice.tile].keep(tiles.content[slice.tile] == Content::transform, reference.texture == nullptr,
                                   bytes.size());
  return bytes;
}

bool RdTileCoder::may_transform(const Slice& slice) const {
  return with_.state.settings.transform && with_.state.grid.can_transform() && !with_.session.is_on() &&
         slice.sub_slices <= kMostTransformSubSlices;
}

CodingAttempt RdTileCoder::attempt(const Slice& slice) const {
  if (!may_transform(slice)) return CodingAttempt::blocks;
  const CodingChoice& choice = with_.tiles.choices[slice.tile];
  if (!choice.is_due(with_.tiles.frames, slice.tile)) return choice.kept();
  // One coding takes half of the time of both.
  if (macroblock_effort(with_.tiles.efforts[slice.tile]) < MacroblockEffort::usual && choice.is_known())
    return choice.kept();
  return worthwhile_attempt(count_contents(with_.state.grid, slice.tile, with_.state.texture()));
}

Bytes RdTileCoder::encode_blocks(const Slice& slice, const Reference& reference, MutableBytes memory) {
  RdTiles& tiles = with_.tiles;
  copy_slice(with_.state.grid, slice, with_.state.texture(), tiles.reconstruction.data());
  const size_t bytes = encoder_.slice.encode(with_.state.grid, slice, tiles.parameters[slice.tile],
                                             tiles.efforts[slice.tile], tiles.block_content[slice.tile], with_.source,
                                             tiles.reconstruction.data(), reference, memory);
  tiles.content[slice.tile] = tiles.block_content[slice.tile] = encoder_.slice.content();
  return memory.last(bytes);
}

Bytes RdTileCoder::encode_transform(const Slice& slice, const Reference& reference, MutableBytes memory) {
  RdTiles& tiles = with_.tiles;
  copy_slice(with_.state.grid, slice, with_.state.texture(), tiles.reconstruction.data());
  const size_t bytes =
      encoder_.transform.encode(with_.state.grid, slice, tiles.parameters[slice.tile], tiles.efforts[slice.tile],
                                with_.source, tiles.reconstruction.data(), reference, memory);
  tiles.content[slice.tile] = Content::transform;
  tiles.transform_quantisers[slice.tile] = static_cast<uint8_t>(encoder_.transform.quantiser());
  return memory.last(bytes);
}

// Keeps the coding with the lower score.
Bytes RdTileCoder::encode_both(const Slice& slice, const Reference& reference, MutableBytes memory) {
  const TileGrid& grid = with_.state.grid;
  std::byte* const reconstruction = with_.tiles.reconstruction.data();
  const Bytes transform = encode_transform(slice, reference, memory);
  if (transform.empty()) return encode_blocks(slice, reference, memory);
  const int64_t of_transform = score(slice, reference, transform.size());
  encoder_.bytes.assign(transform.begin(), transform.end());
  encoder_.sub_blocks.resize(grid.raw_bytes(slice));
  write_raw(grid, slice, reconstruction, encoder_.sub_blocks);
  ReferencedTiles referenced;
  if (reference.touched != nullptr) referenced = std::exchange(*reference.touched, {});
  const Bytes blocks = encode_blocks(slice, reference, memory);
  if (!blocks.empty() && score(slice, reference, blocks.size()) < of_transform) return blocks;
  with_.tiles.content[slice.tile] = Content::transform;
  read_raw(grid, slice, encoder_.sub_blocks, reconstruction);
  if (reference.touched != nullptr) *reference.touched = referenced;
  const MutableBytes bytes = memory.last(encoder_.bytes.size());
  std::ranges::copy(encoder_.bytes, bytes.begin());
  return bytes;
}

int64_t RdTileCoder::score(const Slice& slice, const Reference& reference, size_t bytes) const {
  return coding_score(with_.state.grid, slice, encoder_.transform.source(), with_.tiles.reconstruction.data(),
                      encoder_.transform.lambda(), reference.lambda_weights, bytes);
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
