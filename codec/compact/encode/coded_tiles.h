// coded_tiles.h — the slices of a frame's tiles, and the memory of their bytes. A tile is packed into one slice, or
// into 2, 4 or 8 sub-slices if that is too long. A slice that coding does not shorten is sent raw.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "compact/coded_slice.h"
#include "compact/tile_grid.h"
#include "reference.h"
#include "scheduler.h"

namespace texcast::compact {

// Encodes the slices of one tile.
class SliceCoder {
 public:
  virtual ~SliceCoder() = default;
  // Returns the bytes of the slice, at the end of `memory` or in the backend's. Empty: the slice has no room in
  // `memory`, or is better sent raw.
  virtual Bytes encode(const Slice& slice, const Reference& reference, MutableBytes memory) = 0;
  // Called if the slice is sent raw.
  virtual void use_raw(const Slice& /*slice*/) {}
};

// Different threads may use different tiles. Allocates memory only when constructed.
class CodedTiles {
 public:
  CodedTiles(const TileGrid& grid, size_t most_slice_bytes);

  // Afterwards no tile is coded.
  void clear();
  void clear(uint32_t tile) { counts_[tile] = 0; }

  struct Source {
    const std::byte* texture = nullptr;  // of raw slices
    bool is_lossy = false;
  };
  // Packs a tile. Its slices have no checksums yet.
  void pack(uint32_t tile, const Source& source, const Reference& reference, SliceCoder& coder);
  // Gives a tile's slices their checksums, if it has any. `texture` has the tiles as decoders will have them.
  // `of_tile`: the checksum of the tile as one slice, if it is known already.
  void check(uint32_t tile, const std::byte* texture, std::optional<uint32_t> of_tile = {});
  // The same for the tiles [first, end), which takes less time.
  void check(uint32_t first, uint32_t end, const std::byte* texture);

  std::span<CodedSlice> slices(uint32_t tile) { return {&slices_[size_t{tile} * kMostSlices], count(tile)}; }
  std::span<const CodedSlice> slices(uint32_t tile) const {
    return {&slices_[size_t{tile} * kMostSlices], count(tile)};
  }
  // Loads the first slice of a tile into the cache, as another thread wrote it. Any number of a tile.
  void prefetch(uint32_t tile) const {
    constexpr size_t kLine = 64;
    if (tile >= grid_.tiles()) return;
    const auto* const slice = reinterpret_cast<const std::byte*>(&slices_[size_t{tile} * kMostSlices]);
    for (size_t at = 0; at < sizeof(CodedSlice); at += kLine) __builtin_prefetch(slice + at);
  }
  // The tile belongs to the slice of a tile to its left, which has its bytes.
  bool is_joined(uint32_t tile) const { return counts_[tile] == kJoined; }
  void set_joined(uint32_t tile) { counts_[tile] = kJoined; }
  size_t bytes(uint32_t tile) const;
  // Whether one of the tile's slices references a tile that it must not.
  bool references_unreliable(uint32_t tile, const Scheduler& scheduler) const {
    return std::ranges::any_of(slices(tile),
                               [&](const CodedSlice& slice) { return scheduler.is_unreliable(tile, slice.touched); });
  }

  size_t tile_bytes() const { return tile_bytes_; }  // of a raw tile, at most
  size_t most_slices() const { return slices_.size(); }

 private:
  static constexpr size_t kMostSlices = 8;
  static constexpr uint8_t kJoined = 0xFF;
  size_t count(uint32_t tile) const { return is_joined(tile) ? 0 : counts_[tile]; }
  bool pack(uint32_t tile, int sub_slices, const Source& source, const Reference& reference, SliceCoder& coder);

  const TileGrid grid_;
  const size_t most_slice_bytes_, tile_bytes_;
  std::vector<std::byte> memory_;   // tile_bytes_ for each tile
  std::vector<CodedSlice> slices_;  // kMostSlices for each tile
  std::vector<uint8_t> counts_;     // of slices, for each tile
};

}  // namespace texcast::compact
