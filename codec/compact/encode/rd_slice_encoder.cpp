#include "rd_slice_encoder.h"

#include <algorithm>

#include "compact/symbol_writer.h"
#include "rd_component_encoder.h"
#include "rd_slice.h"
#include "rd_slice_writer.h"

namespace texcast::compact {
namespace {

RdSlice begin_slice(const TileGrid& grid, const RdParameters& parameters, const Reference& reference) {
  const bool intra = reference.texture == nullptr;
  RdSlice slice{.grid = grid,
                .parameters = parameters,
                .head = {.form = {.lossy = true, .intra = intra}, .quantiser = parameters.quantiser},
                .reference = reference.texture};
  for (size_t i = 0; i < reference.vectors.size() && i < kMostPartitions; ++i)
    if (is_codable(reference.vectors[i])) slice.head.vectors[i] = reference.vectors[i];
  slice.lambda_weights.fill(kFullLambda);
  std::ranges::copy_n(reference.lambda_weights.begin(),
                      static_cast<ptrdiff_t>(std::min(reference.lambda_weights.size(), slice.lambda_weights.size())),
                      slice.lambda_weights.begin());
  return slice;
}

}  // namespace

RdSliceEncoder::RdSliceEncoder() : with_{} {
  for (int content = 0; content < kContents; ++content)
    for (int set = 0; set < kTableSets; ++set)
      with_[content].tables[set] = &lossy_tables(static_cast<Content>(content), static_cast<TableSet>(set));
}
RdSliceEncoder::RdSliceEncoder(const CodingTraining& training) { with_.fill(training); }

size_t RdSliceEncoder::encode(const TileGrid& grid, const Slice& slice, const RdParameters& parameters,
                              const SearchEffort& effort, Content expected, const RdSource& source, std::byte* texture,
                              const Reference& reference, MutableBytes memory) {
  RdSlice coded = begin_slice(grid, parameters, reference);
  if (source.picture != nullptr) {
    source_.read(grid, slice, *source.picture);
    coded.source = &source_;
  }
  coded.texels = source.texels;
  coded.texture = texture;
  coded.effort = effort;
  sub_blocks_.clear();
  for (int i = 0; i < grid.component_count(); ++i) {
    const BlockRect rect = grid.blocks(grid.component(i), slice);
    const CodingTables& tables = *with_[static_cast<int>(expected)].tables[static_cast<int>(grid.component(i).tables)];
    if (grid.component(i).kind == SubBlockKind::channel)
      RdComponentEncoder<ChannelSubBlock>(coded, i, rect, tables, sub_blocks_).encode();
    else
      RdComponentEncoder<ColorSubBlock>(coded, i, rect, tables, sub_blocks_).encode();
  }
  return write(coded, slice, reference.touched, memory);
}

size_t RdSliceEncoder::write(RdSlice& coded, const Slice& slice, ReferencedTiles* referenced, MutableBytes memory) {
  content_ = cheapest_content(with_, coded, slice, sub_blocks_);
  coded.head.content = static_cast<int>(content_);
  symbols_.clear();
  compact::list_symbols(with_, coded, slice, sub_blocks_, referenced, symbols_);
  return symbols_.write(memory, kLossyEndState);
}

void RdSliceEncoder::list_symbols(const TileGrid& grid, const EncodedTile& encoded, SymbolList& symbols) const {
  symbols.clear();
  uint32_t begin = 0;
  for (int i = 0; i < grid.component_count(); ++i) {
    const uint32_t end = encoded.ends[static_cast<size_t>(i)];
    symbols.put_all(*with_[static_cast<int>(encoded.content)].tables[static_cast<int>(grid.component(i).tables)],
                    encoded.symbols.subspan(begin, end - begin));
    begin = end;
  }
}

void RdSliceEncoder::write_symbols(const TileGrid& grid, const EncodedTile& encoded, size_t from,
                                   RansWriter& writer) const {
  for (int i = grid.component_count(); i-- > 0;) {
    const size_t end = encoded.ends[static_cast<size_t>(i)];
    const size_t begin = i > 0 ? encoded.ends[static_cast<size_t>(i) - 1] : std::min(from, end);
    const CodingTables& tables =
        *with_[static_cast<int>(encoded.content)].tables[static_cast<int>(grid.component(i).tables)];
    writer.put(tables.slots.front().data(), encoded.symbols.subspan(begin, end - begin));
  }
}

void RdSliceEncoder::add_referenced(const TileGrid& grid, uint32_t tile, const EncodedTile& encoded,
                                    ReferencedTiles& referenced) {
  compact::add_referenced(grid, tile, encoded.vectors, referenced);
}

size_t RdSliceEncoder::write_joined(std::span<const SymbolList> tiles, size_t header_symbols, SymbolList& joined,
                                    MutableBytes memory) {
  joined.clear();
  for (size_t i = 0; i < tiles.size(); ++i) joined.append(tiles[i], i > 0 ? header_symbols : 0);
  return joined.write(memory, kLossyEndState);
}

}  // namespace texcast::compact
