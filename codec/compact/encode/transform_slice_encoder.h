// transform_slice_encoder.h — encodes one transform slice: the mode and the vector of each macroblock, and the levels
// of its residual.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "compact/encoder_backend.h"
#include "compact/rans.h"
#include "compact/rd_parameters.h"
#include "compact/tile_grid.h"
#include "macroblock_decision.h"
#include "rd_source.h"
#include "reference.h"
#include "transform_source.h"
#include "transform_training.h"

namespace texcast::compact {

// Keeps memory between slices. Not thread-safe.
class TransformSliceEncoder {
 public:
  TransformSliceEncoder() = default;
  explicit TransformSliceEncoder(const TransformTraining& training) : with_(training) {}

  // The reconstruction of a slice replaces the block encoder's sub-blocks in `texture`, and any samples.
  struct Target {
    std::byte* texture = nullptr;
    SamplePlanes& samples;
  };
  // Encodes a tile, or one of two sub-slices; the grid can_transform(). `reference` has samples unless it has no
  // texture. `reference.vectors`: candidates, in half pixels. Returns the number of bytes written at the end of
  // `memory`; 0: there is not enough room.
  size_t encode(const TileGrid& grid, const Slice& slice, const RdParameters& parameters, const SearchEffort& effort,
                const RdSource& source, const Target& target, const Reference& reference, MutableBytes memory);
  // The symbols of the slice encoded last, for RdSliceEncoder::write_joined(), its quantiser, and its lambda.
  const SymbolList& symbols() const { return symbols_; }
  int quantiser() const { return quantiser_; }
  int lambda() const { return lambda_; }
  // The vectors of its macroblocks in quarter pixels, four in a row; those of intra macroblocks are predictors.
  const TileVectors& vectors() const { return vectors_; }
  // The source of the slice encoded last.
  const TransformSource& source() const { return source_; }

  // The symbols of a tile that a backend encoded with that quantiser (transform_symbols.h).
  void list_symbols(const TileGrid& grid, int quantiser, const EncodedTile& encoded, SymbolList& symbols) const;
  // Puts the same symbols before those in `writer`, but the first `from` of them.
  void write_symbols(const TileGrid& grid, int quantiser, const EncodedTile& encoded, size_t from, RansWriter& writer);
  // Adds the tiles of the reference frame that it reads.
  static void add_referenced(const TileGrid& grid, uint32_t tile, const EncodedTile& encoded,
                             ReferencedTiles& referenced);

 private:
  using ComponentTables = std::array<const CodingTables*, kTransformComponents>;
  ComponentTables tables(const TileGrid& grid, int quantiser) const;
  const std::vector<Slots>& listed_slots(const TileGrid& grid, int quantiser);

  TransformTraining with_;
  TransformSource source_;
  SymbolList symbols_;
  int quantiser_ = 0, lambda_ = 0;
  TileVectors vectors_{};
  TransformTrialMemory trials_;
  std::array<std::vector<Slots>, kTransformRanges> listed_slots_;  // by the symbols of backends; empty until needed
};

}  // namespace texcast::compact
