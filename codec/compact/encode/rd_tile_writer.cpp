#include "rd_tile_writer.h"

#include <algorithm>
#include <iterator>

namespace texcast::compact {

RdTileWriter::RdTileWriter(const Context& context, const CodingTraining* training)
    : with_(context),
      encoders_(context.state.workers.threads() + 1,
                [&] {
                  if (training == nullptr) return RdEncoder{.slice = RdSliceEncoder()};
                  const bool trains_blocks = training->tables[static_cast<size_t>(TableSet::luma)] != nullptr;
                  return RdEncoder{.slice = trains_blocks ? RdSliceEncoder(*training) : RdSliceEncoder(),
                                   .transform = TransformSliceEncoder(training->transform)};
                }),
      joiner_(context.state.grid, context.state.settings.most_slice_bytes, context.tiles) {
  without_texels_.reserve(context.state.grid.tiles());
}

void RdTileWriter::write(uint32_t tile, RdEncoder& encoder) {
  const TileVectors vectors = with_.state.vectors[tile];
  const CodingChoice choice = with_.rd.choices[tile];
  pack(tile, encoder);
  if (!with_.session.leads() || with_.rd.needs_texels[tile] == 0) return;
  // Start over when the texels are there.
  with_.state.vectors[tile] = vectors;
  with_.rd.choices[tile] = choice;
  with_.rd.is_recoded[tile] = 0;
  with_.tiles.clear(tile);
}

void RdTileWriter::pack(uint32_t tile, RdEncoder& encoder) {
  Reference reference;
  if (!with_.scheduler.is_intra(tile))
    reference = {.texture = with_.state.reference.data(),
                 .vectors = with_.state.vectors[tile],
                 .lambda_weights = with_.rd.lambda_weights[tile],
                 .samples = reference_samples(),
                 .planes = with_.planes.has_value() ? &*with_.planes : nullptr};
  RdSource source{.picture = with_.analysis.picture()};
  if (with_.rd.is_film_drawn[tile] != 0) source = {.film = with_.film.has_value() ? &*with_.film : nullptr};
  if (with_.session.leads())
    source = {.texels = with_.session.texels(), .has_decoded_blocks = !with_.analysis.has_picture()};
  const CodedTiles::Source packed{.texture = with_.state.texture(), .is_lossy = true};
  RdTileCoder coder({.state = with_.state,
                     .tiles = with_.rd,
                     .session = with_.session,
                     .source = source,
                     .reconstruction = reconstruction()},
                    encoder, joiner_.symbols(tile));
  with_.tiles.pack(tile, packed, reference, coder);
  keep_vectors(tile, encoder);
  if (reference.texture == nullptr || !with_.tiles.references_unreliable(tile, with_.scheduler)) return;
  with_.state.vectors[tile].fill({});
  with_.rd.is_recoded[tile] = 1;
  with_.tiles.pack(tile, packed, {}, coder);
}

// The next frame begins with the vectors of macroblocks if partitions were not searched.
void RdTileWriter::keep_vectors(uint32_t tile, const RdEncoder& encoder) {
  const auto slices = with_.tiles.slices(tile);
  const bool is_whole = !slices.empty() && slices[0].slice.sub_slices == 1;
  if (!with_.rd.efforts[tile].by_macroblocks || !is_whole || with_.rd.content[tile] != Content::transform) return;
  std::ranges::transform(encoder.transform.vectors(), with_.state.vectors[tile].begin(),
                         [](const MotionVector& quarters) {
                           return MotionVector{quarters.x >> 1, quarters.y >> 1};
                         });
}

const SamplePlanes* RdTileWriter::reference_samples() const {
  if (with_.planes.has_value()) return &with_.planes->samples();
  return are_fetched_ ? &*fetched_ : nullptr;
}

void RdTileWriter::fetch_reference_samples() {
  if (!with_.rd.samples || !with_.state.has_reference) return;
  const std::span<const uint8_t> samples = with_.session.backend().reference_samples();
  are_fetched_ = !samples.empty();
  if (!are_fetched_) return;
  if (!fetched_) fetched_.emplace(with_.state.grid);
  std::ranges::copy(samples, fetched_->all().begin());
}

// Codes the tiles for which the backend's symbols are not sufficient.
void RdTileWriter::write_with_texels(std::span<const uint32_t> tiles) {
  without_texels_.clear();
  std::ranges::copy_if(tiles, std::back_inserter(without_texels_),
                       [&](uint32_t tile) { return with_.rd.needs_texels[tile] != 0; });
  if (without_texels_.empty()) return;
  if (with_.session.is_on())
    with_.session.attempt([&] {
      fetch_reference_samples();
      with_.session.fetch_texels();
    });
  const bool are_there = !with_.session.texels().empty();
  for (const uint32_t tile : without_texels_) {
    with_.rd.needs_texels[tile] = 0;
    if (!are_there) with_.scheduler.defer(tile);
  }
  if (are_there)
    with_.state.for_some(without_texels_, [&](std::span<const uint32_t> some) {
      const Encoders::Use encoder(encoders_);
      for (const uint32_t tile : some) write(tile, *encoder);
    });
  with_.session.drop_texels();  // the next batch has others
  are_fetched_ = false;
}

void RdTileWriter::join_row(size_t row, const RdRatePlan* rate_plan) {
  const uint32_t first = with_.state.tile_at(row, 0), end = first + static_cast<uint32_t>(with_.state.grid.across());
  const Encoders::Use encoder(encoders_);
  const auto can_join = [&](uint32_t tile, uint32_t next) {
    return with_.rd.content[next] == with_.rd.content[tile] &&
           (with_.rd.content[tile] == Content::transform
                ? with_.rd.transform_quantisers[next] == with_.rd.transform_quantisers[tile]
                : with_.rd.parameters[next].quantiser == with_.rd.parameters[tile].quantiser) &&
           (rate_plan == nullptr || rate_plan->need(next) == rate_plan->need(tile));
  };
  joiner_.join(first, end, can_join, [&](uint32_t from, uint32_t last, MutableBytes memory) {
    return write_joined(from, last, *encoder, memory);
  });
  with_.tiles.check(first, end, reconstruction());
}

size_t RdTileWriter::write_joined(uint32_t first, uint32_t last, RdEncoder& encoder, MutableBytes memory) {
  const TileGrid& grid = with_.state.grid;
  const bool intra = with_.tiles.slices(first)[0].coding == Coding::lossy_intra;
  const auto header_symbols = static_cast<size_t>(
      with_.rd.content[first] == Content::transform ? kTransformHeaderSymbols : slice_header_symbols(intra));
  bool are_from_backend = true;
  for (uint32_t tile = first; tile <= last; ++tile)
    are_from_backend = are_from_backend && with_.rd.is_from_backend[tile] != 0;
  if (are_from_backend) {
    RansWriter writer(memory, kLossyEndState);
    for (uint32_t tile = last + 1; tile-- > first;)
      write_symbols(encoder, grid, with_.session.encoded(tile), with_.rd.transform_quantisers[tile],
                    tile > first ? header_symbols : 0, writer);
    return writer.end();
  }
  for (uint32_t tile = first; tile <= last; ++tile)
    if (with_.rd.is_from_backend[tile] != 0)
      list_symbols(encoder, grid, with_.session.encoded(tile), with_.rd.transform_quantisers[tile],
                   joiner_.symbols(tile));
  return RdSliceEncoder::write_joined(joiner_.symbols(first, last), header_symbols, encoder.joined, memory);
}

}  // namespace texcast::compact
