#include "rd_tile_coder.h"

#include <algorithm>
#include <utility>

#include "compact/slice_bytes.h"
#include "compact/transform_lambda.h"

namespace texcast::compact {
namespace {

void add_referenced(const TileGrid& grid, uint32_t tile, const EncodedTile& encoded, ReferencedTiles& referenced) {
  if (encoded.content == Content::transform)
    TransformSliceEncoder::add_referenced(grid, tile, encoded, referenced);
  else
    RdSliceEncoder::add_referenced(grid, tile, encoded, referenced);
}

bool has_same_tiles(const ReferencedTiles& a, const ReferencedTiles& b) {
  return a.any == b.any && std::ranges::equal(a.list(), b.list());
}

}  // namespace

void list_symbols(const RdEncoder& encoder, const TileGrid& grid, const EncodedTile& encoded, int transform_quantiser,
                  SymbolList& symbols) {
  if (encoded.content == Content::transform)
    encoder.transform.list_symbols(grid, transform_quantiser, encoded, symbols);
  else
    encoder.slice.list_symbols(grid, encoded, symbols);
}

void write_symbols(RdEncoder& encoder, const TileGrid& grid, const EncodedTile& encoded, int transform_quantiser,
                   size_t from, RansWriter& writer) {
  if (encoded.content == Content::transform)
    encoder.transform.write_symbols(grid, transform_quantiser, encoded, from, writer);
  else
    encoder.slice.write_symbols(grid, encoded, from, writer);
}

Bytes RdTileCoder::encode(const Slice& slice, const Reference& reference, MutableBytes memory) {
  RdTiles& tiles = with_.tiles;
  // The CPU codes sub-slices, and tiles that became intra because they would reference an unreliable one.
  const bool has_backend_slice =
      slice.sub_slices == 1 && tiles.is_recoded[slice.tile] == 0 && with_.session.has_symbols(slice.tile);
  const bool is_from_backend = has_backend_slice && !with_.session.check().is_running();
  tiles.is_from_backend[slice.tile] = is_from_backend ? 1 : 0;
  if (is_from_backend) {
    const Bytes bytes = take_from_backend(slice, reference);
    keep_choice(slice, reference, bytes);
    return bytes;
  }
  if (with_.session.leads() && with_.source.texels.empty()) {
    tiles.needs_texels[slice.tile] = 1;
    return {};
  }
  const Bytes bytes = encode_by_cpu(slice, reference, memory);
  keep_choice(slice, reference, bytes);
  if (has_backend_slice) compare(slice, reference, bytes);
  if (slice.sub_slices == 1) {
    symbols_.clear();
    symbols_.append(symbols_of_cpu(slice.tile), 0);
  }
  return bytes;
}

const SymbolList& RdTileCoder::symbols_of_cpu(uint32_t tile) const {
  return with_.tiles.content[tile] == Content::transform ? encoder_.transform.symbols() : encoder_.slice.symbols();
}

void RdTileCoder::keep_choice(const Slice& slice, const Reference& reference, Bytes bytes) {
  if (slice.sub_slices > 1 || bytes.empty()) return;
  with_.tiles.choices[slice.tile].keep(with_.tiles.content[slice.tile] == Content::transform,
                                       reference.texture == nullptr, bytes.size());
}

void RdTileCoder::use_raw(const Slice& slice) {
  set_of_blocks(slice, true);
  copy_slice(with_.state.grid, slice, with_.state.texture(), with_.reconstruction);
  with_.tiles.is_from_backend[slice.tile] = 0;
}

// Halves of a tile: sub-slices that are smaller are coded by blocks.
void RdTileCoder::set_of_blocks(const Slice& slice, bool are_of_blocks) {
  const unsigned halves = slice.sub_slices == 1 ? 3u : 1u << (2 * slice.sub_slice / slice.sub_slices);
  uint8_t& of_blocks = with_.tiles.of_blocks[slice.tile];
  of_blocks = static_cast<uint8_t>(are_of_blocks ? of_blocks | halves : of_blocks & ~halves);
}

Bytes RdTileCoder::take_from_backend(const Slice& slice, const Reference& reference) {
  RdTiles& tiles = with_.tiles;
  const EncodedTile& encoded = with_.session.encoded(slice.tile);
  const bool intra = reference.texture == nullptr;
  if (!intra) add_referenced(with_.state.grid, slice.tile, encoded, *reference.touched);
  tiles.content[slice.tile] = encoded.content;
  if (tiles.attempts[slice.tile] != CodingAttempt::transform) tiles.block_content[slice.tile] = encoded.block_content;
  if (encoded.content == Content::transform)
    tiles.transform_quantisers[slice.tile] =
        static_cast<uint8_t>(transform_quantiser(transform_lambda(tiles.parameters[slice.tile], intra)));
  return encoded.bytes();
}

Bytes RdTileCoder::encode_by_cpu(const Slice& slice, const Reference& reference, MutableBytes memory) {
  const bool has_samples = reference.texture == nullptr || reference.samples != nullptr;
  const CodingAttempt attempt = slice.sub_slices <= kMostTransformSubSlices && has_samples
                                    ? with_.tiles.attempts[slice.tile]
                                    : CodingAttempt::blocks;
  switch (attempt) {
    case CodingAttempt::transform:
      if (const Bytes bytes = encode_transform(slice, reference, memory); !bytes.empty()) return bytes;
      if (with_.source.film != nullptr) return {};
      break;
    case CodingAttempt::both: return encode_both(slice, reference, memory);
    case CodingAttempt::blocks: break;
  }
  if (with_.source.film != nullptr) return {};  // quarters of a tile
  return encode_blocks(slice, reference, memory);
}

Bytes RdTileCoder::encode_blocks(const Slice& slice, const Reference& reference, MutableBytes memory) {
  RdTiles& tiles = with_.tiles;
  set_of_blocks(slice, true);
  copy_slice(with_.state.grid, slice, with_.state.texture(), with_.reconstruction);
  const size_t bytes =
      encoder_.slice.encode(with_.state.grid, slice, tiles.parameters[slice.tile], tiles.efforts[slice.tile],
                            tiles.block_content[slice.tile], with_.source, with_.reconstruction, reference, memory);
  tiles.content[slice.tile] = tiles.block_content[slice.tile] = encoder_.slice.content();
  return memory.last(bytes);
}

Bytes RdTileCoder::encode_transform(const Slice& slice, const Reference& reference, MutableBytes memory) {
  RdTiles& tiles = with_.tiles;
  set_of_blocks(slice, false);
  // All blocks are replaced. Before that they are the source if there is no other.
  if (with_.source.picture == nullptr && with_.source.film == nullptr)
    copy_slice(with_.state.grid, slice, with_.state.texture(), with_.reconstruction);
  const size_t bytes =
      encoder_.transform.encode(with_.state.grid, slice, tiles.parameters[slice.tile], tiles.efforts[slice.tile],
                                with_.source, {with_.reconstruction, *tiles.samples}, reference, memory);
  if (bytes == 0 && reference.touched != nullptr) *reference.touched = {};
  tiles.content[slice.tile] = Content::transform;
  tiles.transform_quantisers[slice.tile] = static_cast<uint8_t>(encoder_.transform.quantiser());
  return memory.last(bytes);
}

// Keeps the coding with the lower score.
Bytes RdTileCoder::encode_both(const Slice& slice, const Reference& reference, MutableBytes memory) {
  const TileGrid& grid = with_.state.grid;
  std::byte* const reconstruction = with_.reconstruction;
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
  set_of_blocks(slice, false);
  read_raw(grid, slice, encoder_.sub_blocks, reconstruction);
  if (reference.touched != nullptr) *reference.touched = referenced;
  const MutableBytes bytes = memory.last(encoder_.bytes.size());
  std::ranges::copy(encoder_.bytes, bytes.begin());
  return bytes;
}

int64_t RdTileCoder::score(const Slice& slice, const Reference& reference, size_t bytes) const {
  return coding_score(with_.state.grid, slice, encoder_.transform.source(), with_.reconstruction,
                      encoder_.transform.lambda(), reference.lambda_weights, bytes);
}

void RdTileCoder::compare(const Slice& slice, const Reference& reference, Bytes by_cpu) {
  const TileGrid& grid = with_.state.grid;
  const RdTiles& tiles = with_.tiles;
  const EncodedTile& encoded = with_.session.encoded(slice.tile);
  const bool has_same_content =
      encoded.content == tiles.content[slice.tile] && (tiles.attempts[slice.tile] == CodingAttempt::transform ||
                                                       encoded.block_content == tiles.block_content[slice.tile]);
  if (!has_same_content) return with_.session.check().compare(false);
  list_symbols(encoder_, grid, encoded, tiles.transform_quantisers[slice.tile], encoder_.joined);
  ReferencedTiles referenced;
  if (reference.texture != nullptr) add_referenced(grid, slice.tile, encoded, referenced);
  with_.session.check().compare(
      std::ranges::equal(by_cpu, encoded.bytes()) && encoder_.joined == symbols_of_cpu(slice.tile) &&
      (reference.texture == nullptr || has_same_tiles(referenced, *reference.touched)) &&
      !differs(grid, slice, with_.reconstruction, with_.session.reconstruction()) && has_same_samples(slice.tile));
}

// True if the backend gives no samples.
bool RdTileCoder::has_same_samples(uint32_t tile) const {
  const auto samples = with_.session.samples();
  if (samples.empty() || with_.tiles.content[tile] != Content::transform) return true;
  return with_.tiles.samples->equals(with_.state.grid, {.tile = tile}, samples);
}

}  // namespace texcast::compact
