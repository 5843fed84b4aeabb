#include "transform_slice_encoder.h"

#include "compact/reference_window.h"
#include "compact/symbol_writer.h"
#include "compact/transform_lambda.h"
#include "compact/transform_symbols.h"

namespace texcast::compact {
namespace {

using ComponentTables = std::array<const CodingTables*, kTransformComponents>;
using ComponentCounts = std::array<SymbolList::Counts*, kTransformComponents>;

class TransformWriter {
 public:
  TransformWriter(SymbolList& list, const ComponentTables& tables, const ComponentCounts& counts)
      : list_(list), tables_(tables), counts_(counts) {}
  void use(int component) {
    in_use_ = tables_[component];
    list_.count_into(counts_[component]);
  }
  void put(int context, int symbol) {
    list_.make_room(1);
    list_.put(*in_use_, context, symbol);
  }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }

 private:
  SymbolList& list_;
  const ComponentTables& tables_;
  const ComponentCounts& counts_;
  const CodingTables* in_use_ = nullptr;
};

void put(TransformWriter& writer, const MacroblockNeighbours& neighbours, const MacroblockTrial& trial,
         const std::array<uint8_t, kTransformComponents>& masks, int column, int row) {
  const Macroblock& macroblock = trial.macroblock;
  const auto use = [&](int c) { writer.use(c); };
  put_macroblock(writer, use, neighbours, column, row, masks, macroblock);
  for (int c = 0; c < kTransformComponents; ++c) {
    use(c);
    for (int i = 0; i < kMostTransformBlocks; ++i)
      if ((macroblock.coded[c] >> i & 1) != 0) put_levels(writer, is_intra(macroblock.mode), trial.levels[c][i]);
  }
}

// Adds the tiles of the reference frame that the inter macroblocks of a slice read.
class ReferencedSamples {
 public:
  ReferencedSamples(const TileGrid& grid, const Slice& slice)
      : grid_(grid), tile_(slice.tile), macroblocks_(grid, slice) {
    for (int c = 0; c < kTransformComponents; ++c) own_[c] = grid.blocks(grid.component(c), {.tile = slice.tile});
  }
  const MacroblockGrid& macroblocks() const { return macroblocks_; }
  void add(const MotionVector& vector, int column, int row, ReferencedTiles& referenced) const {
    for (int c = 0; c < kTransformComponents; ++c) {
      const Component& component = grid_.component(c);
      const BlockRect read = reference_window(component, macroblocks_.blocks(c, column, row), vector), &own = own_[c];
      if (read.count() <= 0) continue;
      // Most macroblocks read only the tile at the same position.
      if (read.x0 >= own.x0 && read.y0 >= own.y0 && read.x1 <= own.x1 && read.y1 <= own.y1)
        referenced.add(tile_);
      else
        grid_.for_each_tile(component, read, [&](uint32_t tile) { referenced.add(tile); });
    }
  }

 private:
  const TileGrid& grid_;
  const uint32_t tile_;
  const MacroblockGrid macroblocks_;
  std::array<BlockRect, kTransformComponents> own_;  // the tile's blocks
};

}  // namespace

size_t TransformSliceEncoder::encode(const TileGrid& grid, const Slice& slice, const RdParameters& parameters,
                                     const SearchEffort& effort, const RdSource& source, const Target& target,
                                     const Reference& reference, MutableBytes memory) {
  const bool intra = reference.texture == nullptr;
  lambda_ = transform_lambda(parameters, intra);
  quantiser_ = transform_quantiser(lambda_);
  source_.read(grid, slice, source, target.texture);
  const ComponentTables tables = this->tables(grid, quantiser_);
  ComponentCounts counts{};
  for (int c = 0; c < kTransformComponents; ++c)
    counts[c] = with_.sets[transform_range(quantiser_)][static_cast<int>(grid.component(c).tables)].counts;
  const Quantisation quantisation(quantiser_);
  MacroblockDecision decision({.grid = grid,
                               .slice = slice,
                               .reference = reference,
                               .source = source_,
                               .quantisation = quantisation,
                               .lambda = lambda_,
                               .effort = effort,
                               .tables = tables},
                              target.texture, target.samples, trials_);
  symbols_.clear();
  TransformWriter writer(symbols_, tables, counts);
  writer.use(0);
  put_transform_header(writer, intra, quantiser_);
  const ReferencedSamples reads(grid, slice);
  for (int row = 0; row < decision.rows(); ++row)
    for (int column = 0; column < decision.columns(); ++column) {
      const MacroblockTrial& trial = decision.decide(column, row);
      put(writer, decision.neighbours(), trial, decision.reconstruction().masks(column, row), column, row);
      if (reference.touched != nullptr && !is_intra(trial.macroblock.mode))
        reads.add(trial.macroblock.vector, column, row, *reference.touched);
      decision.add(trial.macroblock, column, row);
    }
  decision.finish();
  vectors_ = decision.neighbours().vectors;
  return symbols_.write(memory, kLossyEndState);
}

TransformSliceEncoder::ComponentTables TransformSliceEncoder::tables(const TileGrid& grid, int quantiser) const {
  const int range = transform_range(quantiser);
  ComponentTables tables{};
  for (int c = 0; c < kTransformComponents; ++c) {
    const TableSet set = grid.component(c).tables;
    const CodingTables* const trained = with_.sets[range][static_cast<int>(set)].tables;
    tables[c] = trained != nullptr ? trained : &transform_tables(range, set);
  }
  return tables;
}

void TransformSliceEncoder::list_symbols(const TileGrid& grid, int quantiser, const EncodedTile& encoded,
                                         SymbolList& symbols) const {
  const ComponentTables tables = this->tables(grid, quantiser);
  symbols.clear();
  symbols.count_into(nullptr);
  symbols.make_room(encoded.symbols.size());
  for (const uint16_t listed : encoded.symbols) {
    const ListedSymbol symbol = listed_symbol(listed);
    // The self-check finds that one is missing.
    if (symbol.is_valid()) symbols.put(*tables[symbol.component], symbol.context, symbol.value);
  }
}

// All backends' symbols of a grid use the same tables.
const std::vector<Slots>& TransformSliceEncoder::listed_slots(const TileGrid& grid, int quantiser) {
  std::vector<Slots>& slots = listed_slots_[static_cast<size_t>(transform_range(quantiser))];
  if (!slots.empty()) return slots;
  const ComponentTables tables = this->tables(grid, quantiser);
  slots.resize(size_t{1} << 16);
  for (size_t listed = 0; listed < slots.size(); ++listed)
    if (const ListedSymbol symbol = listed_symbol(static_cast<uint16_t>(listed)); symbol.is_valid())
      slots[listed] = tables[symbol.component]->slots[symbol.context][symbol.value];
  return slots;
}

void TransformSliceEncoder::write_symbols(const TileGrid& grid, int quantiser, const EncodedTile& encoded, size_t from,
                                          RansWriter& writer) {
  writer.put(listed_slots(grid, quantiser).data(), encoded.symbols.subspan(std::min(from, encoded.symbols.size())));
}

void TransformSliceEncoder::add_referenced(const TileGrid& grid, uint32_t tile, const EncodedTile& encoded,
                                           ReferencedTiles& referenced) {
  const ReferencedSamples reads(grid, {.tile = tile});
  for (int row = 0; row < reads.macroblocks().rows(); ++row)
    for (int column = 0; column < reads.macroblocks().columns(); ++column) {
      const auto i = static_cast<size_t>(row * kMacroblockColumns + column);
      if ((encoded.intra_macroblocks >> i & 1) == 0) reads.add(encoded.macroblock_vectors[i], column, row, referenced);
    }
}

}  // namespace texcast::compact
