#include "transform_slice_decoder.h"

#include <array>
#include <cstdint>

#include "compact/macroblock_symbols.h"
#include "compact/rans.h"
#include "compact/reference_window.h"
#include "compact/symbol_reader.h"
#include "compact/transform_reconstruction.h"
#include "compact/transform_syntax.h"
#include "component_reads.h"
#include "lookup_reader.h"

namespace texcast::compact {
namespace {

// Reads literal bits only, with tables of which there is no need to make all other contexts.
class LiteralReader {
 public:
  explicit LiteralReader(Bytes coded) : coder_(coded, kLossyEndState) {}
  int get(int context) { return coder_.get(tables()[static_cast<size_t>(context - context::kLiteral.first)]); }
  uint32_t bits(int count) { return read_bits(*this, count); }

 private:
  using Tables = std::array<SymbolTable, context::kLiteral.size>;
  static const Tables& tables() {
    static const Tables made = [] {
      const TrainedText& text = trained_text("lossless")[static_cast<size_t>(TableSet::luma)];
      Tables tables{};
      for (size_t i = 0; i < tables.size(); ++i) {
        std::array<double, kSymbols> weights{};
        for (size_t s = 0; s < kSymbols; ++s)
          weights[s] = trained_probability(text[static_cast<size_t>(context::kLiteral.first) + i][s]);
        make_table(weights, tables[i]);
      }
      return tables;
    }();
    return made;
  }
  RansDecoder coder_;
};

using Reader = LookupReader<true>;

// The tables of each component.
using Tables = std::array<const LookupTables*, kTransformComponents>;
Tables tables_of(const TileGrid& grid, int quantiser) {
  Tables tables{};
  for (int c = 0; c < kTransformComponents; ++c)
    tables[static_cast<size_t>(c)] = &transform_lookup_tables(transform_range(quantiser), grid.component(c).tables);
  return tables;
}

// Out of line, with a reader of its own, whose state stays in registers.
[[gnu::noinline, gnu::flatten]] bool read_levels_apart(Reader& shared, bool intra, TransformLevels& levels) {
  Reader reader = shared;
  const bool is_valid = read_levels(reader, intra, levels);
  shared = reader;
  return is_valid;
}

class TileDecoder {
 public:
  // `only`: a tile or sub-slice.
  TileDecoder(const TileGrid& grid, const Slice& only, const Tables& tables, int quantiser,
              const TransformFrames& frames, ReferenceReads* reads)
      : grid_(grid),
        tables_(tables),
        step_(transform_step(quantiser)),
        reconstruction_(grid, only, frames),
        reads_{of_component(0, only, reads), of_component(1, only, reads), of_component(2, only, reads)} {
    neighbours_.intra_slice = frames.reference == nullptr;
    neighbours_.columns = reconstruction_.columns();
  }

  // False: the symbols are not valid.
  TEXCAST_INLINE bool decode(Reader& shared) {
    Reader reader = shared;
    for (int row = 0; row < reconstruction_.rows(); ++row)
      for (int column = 0; column < reconstruction_.columns(); ++column) {
        Macroblock macroblock;
        if (!read(reader, column, row, macroblock)) return false;
        neighbours_.add(macroblock, column, row);
        if (!is_intra(macroblock.mode)) record(macroblock.vector, column, row);
        reconstruction_.begin(macroblock, levels_, step_, column, row);
      }
    reconstruction_.finish();
    shared = reader;
    return true;
  }

 private:
  ComponentReads of_component(int c, const Slice& only, ReferenceReads* reads) const {
    const Component& component = grid_.component(c);
    return {{component, grid_.blocks(component, only), grid_.blocks(component, {.tile = only.tile})}, reads};
  }

  TEXCAST_INLINE bool read(Reader& reader, int column, int row, Macroblock& macroblock) {
    const auto use = [&](int c) { reader.use(*tables_[static_cast<size_t>(c)]); };
    if (!read_macroblock(reader, use, neighbours_, column, row, reconstruction_.masks(column, row), macroblock))
      return false;
    for (int c = 0; c < kTransformComponents; ++c) {
      use(c);
      for (int i = 0; i < kMostTransformBlocks; ++i)
        if ((macroblock.coded[static_cast<size_t>(c)] >> i & 1) != 0 &&
            !read_levels_apart(reader, is_intra(macroblock.mode),
                               levels_[static_cast<size_t>(c)][static_cast<size_t>(i)]))
          return false;
    }
    return !reader.is_short();
  }

  void record(const MotionVector& vector, int column, int row) {
    for (int c = 0; c < kTransformComponents; ++c) {
      const BlockRect read = reference_window(grid_.component(c), reconstruction_.blocks(c, column, row), vector);
      if (read.count() > 0) reads_[static_cast<size_t>(c)].add(read.x0, read.y0, read.x1 - 1, read.y1 - 1);
    }
  }

  const TileGrid& grid_;
  const Tables& tables_;
  const int step_;
  TransformReconstruction reconstruction_;
  MacroblockNeighbours neighbours_;
  MacroblockLevels levels_;
  std::array<ComponentReads, kTransformComponents> reads_;
};

}  // namespace

bool is_transform_slice(Bytes coded, bool intra) {
  LiteralReader reader(coded);
  if (!intra) reader.bits(4);
  return reader.bits(2) == static_cast<uint32_t>(Content::transform);
}

bool decode_transform_slice(const TileGrid& grid, const Slice& slice, Bytes coded, const TransformFrames& frames,
                            ReferenceReads* reads) {
  if (!grid.can_transform() || slice.sub_slices > kMostTransformSubSlices) return false;
  const bool intra = frames.reference == nullptr;
  if (frames.samples == nullptr || (!intra && frames.reference_samples == nullptr)) return false;
  LiteralReader literals(coded);
  const int quantiser = read_transform_header(literals, intra);
  if (quantiser < 0) return false;
  const Tables tables = tables_of(grid, quantiser);
  Reader reader(coded);
  reader.use(*tables[0]);
  read_transform_header(reader, intra);
  for (uint32_t tile = 0; tile < slice.tiles; ++tile) {
    TileDecoder decoder(grid, slice.only(tile), tables, quantiser, frames, reads);
    if (!decoder.decode(reader)) return false;
  }
  return reader.ended_well();
}

}  // namespace texcast::compact
