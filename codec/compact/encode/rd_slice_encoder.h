// rd_slice_encoder.h — one unit of a lossy stream: for every half-block the one of all that the syntax has which is
// best by what it loses and what it costs, D + lambda R (G. J. Sullivan and T. Wiegand, "Rate-Distortion Optimization
// for Video Compression", 1998), R by the tables that it is then coded with.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"
#include "compact/coded_slice.h"
#include "compact/encoder_backend.h"
#include "compact/rd_parameters.h"
#include "compact/slice_syntax.h"
#include "compact/tile_grid.h"
#include "lossless_slice_encoder.h"
#include "source_texels.h"

namespace texcast::compact {

// Symbols that are chosen before it is known whether their half-blocks are told at all.
class ChosenSymbols {
 public:
  void clear() {
    symbols_.clear();
    ends_.clear();
  }
  void put(int context, int symbol) { symbols_.push_back(static_cast<uint32_t>(context << 4 | symbol)); }
  void end_half() { ends_.push_back(symbols_.size()); }
  std::span<const uint32_t> of_half(size_t i) const {
    const size_t begin = i > 0 ? ends_[i - 1] : 0;
    return std::span(symbols_).subspan(begin, ends_[i] - begin);
  }

 private:
  std::vector<uint32_t> symbols_;
  std::vector<size_t> ends_;
};

// What blocks are to come near to: a picture, drawn around a unit too, or texels in the places of half-blocks of
// channels. Neither: what the block encoder made.
struct RdSource {
  const SourcePicture* picture = nullptr;
  std::span<const SubBlockTexels> texels{};
};

struct RdSlice;

// Keeps memory between units. One a thread.
class RdSliceEncoder {
 public:
  RdSliceEncoder();
  explicit RdSliceEncoder(const CodingTraining& training);

  // `texture` has the unit's half-blocks as the block encoder made them, and has in their place what decoders will have
  // after this. `reference.vectors`: in half pixels. `expected`: whose tables are likely to be the better ones. Bytes
  // written, at the end of `memory`; 0: they have no room there.
  size_t encode(const TileGrid& grid, const Slice& slice, const RdParameters& target, const SearchEffort& effort,
                Content expected, const RdSource& source, std::byte* texture, const Reference& reference,
                MutableBytes memory);
  // What was encoded last, to become a part of a run, and whose tables it has.
  const SymbolList& symbols() const { return symbols_; }
  Content content() const { return content_; }

  // The symbols of a tile that a chooser chose.
  void list_chosen(const TileGrid& grid, const EncodedTile& chosen, SymbolList& symbols) const;
  // What it was coded against.
  static void touch_chosen(const TileGrid& grid, uint32_t tile, const EncodedTile& chosen, ReferencedTiles& touched);

  // A run's bytes, of its tiles' symbols in order. The quantiser and the content are told once, and are to be the same.
  static size_t write_run(std::span<const SymbolList> tiles, bool intra, SymbolList& memory_of_run,
                          MutableBytes memory);

 private:
  size_t write(RdSlice& slice, const Slice& of, ReferencedTiles* touched, MutableBytes memory);

  std::array<CodingTraining, kContents> with_;
  SourceTexels source_;
  ChosenSymbols chosen_;
  SymbolList symbols_;
  Content content_{};
};

}  // namespace texcast::compact
