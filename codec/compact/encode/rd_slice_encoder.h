// rd_slice_encoder.h — encodes one lossy slice. Each sub-block gets the coding, of all that the syntax has, that
// minimises D + lambda R (G. J. Sullivan and T. Wiegand, "Rate-Distortion Optimization for Video Compression", 1998),
// with R by the tables that it is coded with.
#pragma once

#include <array>
#include <span>

#include "base/bytes.h"
#include "compact/coded_slice.h"
#include "compact/encoder_backend.h"
#include "compact/rd_parameters.h"
#include "compact/tile_grid.h"
#include "lossless_slice_encoder.h"
#include "rd_source.h"
#include "rd_symbols.h"
#include "source_texels.h"

namespace texcast::compact {

struct RdSlice;

// Keeps memory between slices. Not thread-safe.
class RdSliceEncoder {
 public:
  RdSliceEncoder();
  explicit RdSliceEncoder(const CodingTraining& training);

  // Encodes a tile or sub-slice. `texture` has the block encoder's sub-blocks of the slice; the reconstruction replaces
  // them. `reference.vectors`: in half pixels. `expected`: the content whose tables are probably the cheapest. Returns
  // the number of bytes written at the end of `memory`; 0: there is not enough room.
  size_t encode(const TileGrid& grid, const Slice& slice, const RdParameters& parameters, const SearchEffort& effort,
                Content expected, const RdSource& source, std::byte* texture, const Reference& reference,
                MutableBytes memory);
  // The symbols of the slice encoded last, for write_joined(), and the content whose tables it uses.
  const SymbolList& symbols() const { return symbols_; }
  Content content() const { return content_; }

  // The symbols of a tile that a backend encoded.
  void list_symbols(const TileGrid& grid, const EncodedTile& encoded, SymbolList& symbols) const;
  // Puts the same symbols before those in `writer`, but the first `from` of them.
  void write_symbols(const TileGrid& grid, const EncodedTile& encoded, size_t from, RansWriter& writer) const;
  // Adds the tiles of the reference frame that it reads.
  static void add_referenced(const TileGrid& grid, uint32_t tile, const EncodedTile& encoded,
                             ReferencedTiles& referenced);

  // Writes a slice of several tiles from the symbols of each. All tiles must have the same header, of so many symbols,
  // which is coded once. Returns as encode(). `joined` keeps memory.
  static size_t write_joined(std::span<const SymbolList> tiles, size_t header_symbols, SymbolList& joined,
                             MutableBytes memory);

 private:
  size_t write(RdSlice& coded, const Slice& slice, ReferencedTiles* referenced, MutableBytes memory);

  std::array<CodingTraining, kContents> with_;
  SourceTexels source_;
  SubBlockSymbols sub_blocks_;
  SymbolList symbols_;
  Content content_{};
};

}  // namespace texcast::compact
