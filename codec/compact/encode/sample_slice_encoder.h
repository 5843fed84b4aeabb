// sample_slice_encoder.h — encodes sample slices (sample_syntax.h): the exact samples of a tile or sub-slice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "compact/rans.h"
#include "compact/sample_planes.h"
#include "compact/sample_syntax.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Keeps memory between slices. Not thread-safe.
class SampleSliceEncoder {
 public:
  // The grid can_transform(), and must outlive this.
  explicit SampleSliceEncoder(const TileGrid& grid) : grid_(grid), layout_(grid) {}

  // Whether a tile's samples are what its sub-blocks decode to, so that other slices can code it.
  bool is_of_blocks(uint32_t tile, const std::byte* texture, std::span<const uint8_t> samples);
  // The slice is a tile or sub-slice. Each of its sub-blocks in `texture` is the one that is fitted to its samples, or
  // the samples are what it decodes to. `as_literals`: samples are coded in 8 bits each, so that the size is bounded:
  // about two bytes more than they are, for every 16.
  // Returns the number of bytes written at the end of `memory`; 0: there is not enough room.
  size_t encode(const Slice& slice, const std::byte* texture, std::span<const uint8_t> samples, bool as_literals,
                MutableBytes memory);

 private:
  class Writer;
  // A symbol, in a context of the transform slices' tables of a component.
  struct Listed {
    uint16_t component, context;
    uint8_t symbol;
  };
  const uint8_t* sample(std::span<const uint8_t> samples, int c, int x, int y) const {
    return &samples[layout_.at(c, x, y)];
  }
  void find_sources(int c, const BlockRect& rect, const std::byte* texture, std::span<const uint8_t> samples,
                    bool as_literals);
  bool has_sources() const;
  void list_component(int c, const BlockRect& rect, const std::byte* texture, std::span<const uint8_t> samples);
  void list_source(Writer& writer, int c, int x, int y, SampleSource source, const std::byte* texture,
                   std::span<const uint8_t> samples) const;
  void list_samples(Writer& writer, int c, const BlockRect& rect, std::span<const uint8_t> samples) const;
  int best_range() const;

  const TileGrid& grid_;
  const SampleLayout layout_;
  std::vector<SampleSource> sources_[kTransformComponents];  // of the slice's sub-blocks, row by row
  std::vector<Listed> listed_;
  SymbolList symbols_;
};

}  // namespace texcast::compact
