#include "coded_tiles.h"

#include <algorithm>
#include <array>

#include "base/ensure.h"
#include "compact/payload.h"
#include "compact/slice_bytes.h"

namespace texcast::compact {

CodedTiles::CodedTiles(const TileGrid& grid, size_t most_slice_bytes)
    : grid_(grid), most_slice_bytes_(most_slice_bytes), tile_bytes_(grid.most_raw_bytes(1)) {
  ENSURE(grid.most_raw_bytes(static_cast<uint8_t>(grid.most_sub_slices())) <= most_slice_bytes);
  memory_.resize(grid.tiles() * tile_bytes_);
  slices_.resize(size_t{grid.tiles()} * kMostSlices);
  counts_.resize(grid.tiles());
}

void CodedTiles::clear() { std::ranges::fill(counts_, uint8_t{0}); }

size_t CodedTiles::bytes(uint32_t tile) const {
  size_t bytes = 0;
  for (const CodedSlice& slice : slices(tile)) bytes += slice.bytes.size();
  return bytes;
}

void CodedTiles::pack(uint32_t tile, const Source& source, const Reference& reference, SliceCoder& coder) {
  for (int sub_slices = 1; !pack(tile, sub_slices, source, reference, coder); sub_slices *= 2)
    ENSURE(sub_slices < grid_.most_sub_slices());
}

// False: a slice has no room, neither coded nor raw.
bool CodedTiles::pack(uint32_t tile, int sub_slices, const Source& source, const Reference& reference,
                      SliceCoder& coder) {
  const MutableBytes memory = MutableBytes(memory_).subspan(tile * tile_bytes_, tile_bytes_);
  size_t end = memory.size();
  CodedSlice* const packed = &slices_[size_t{tile} * kMostSlices];
  uint8_t count = 0;
  for (int sub_slice = sub_slices; sub_slice-- > 0;) {
    const Slice slice{tile, static_cast<uint8_t>(sub_slices), static_cast<uint8_t>(sub_slice)};
    const size_t raw_bytes = grid_.raw_bytes(slice);
    CodedSlice& out = packed[sub_slices - 1 - sub_slice];
    out = {};
    if (raw_bytes == 0) continue;
    const size_t room = std::min(raw_bytes, most_slice_bytes_ + 1) - 1;
    ReferencedTiles touched;
    Reference of_slice = reference;
    of_slice.touched = &touched;
    if (sub_slices > 1) of_slice.places = nullptr;  // a tile that is coded again gets a quick search
    if (reference.texture != nullptr) {
      const size_t first_partition = static_cast<size_t>(sub_slice) * 2 / static_cast<size_t>(sub_slices) * 4;
      of_slice.vectors = reference.vectors.subspan(first_partition);
      if (source.is_lossy) of_slice.lambda_weights = reference.lambda_weights.subspan(first_partition);
    }
    Bytes bytes = coder.encode(slice, of_slice, memory.subspan(end - room, room));
    Coding coding = reference.texture != nullptr ? Coding::inter : Coding::intra;
    if (source.is_lossy) coding = reference.texture != nullptr ? Coding::lossy_inter : Coding::lossy_intra;
    if (bytes.empty()) {
      if (raw_bytes > most_slice_bytes_) return false;
      const MutableBytes raw = memory.subspan(end - raw_bytes, raw_bytes);
      write_raw(grid_, slice, source.texture, raw);
      coder.use_raw(slice);
      bytes = raw;
      coding = Coding::raw;
    }
    end -= bytes.size();
    out = {.slice = slice,
           .coding = coding,
           .bytes = bytes,
           .touched = needs_reference(coding) ? touched : ReferencedTiles{}};
    ++count;
  }
  std::reverse(packed, packed + sub_slices);  // the top sub-slice first
  std::stable_partition(packed, packed + sub_slices, [](const CodedSlice& slice) { return !slice.bytes.empty(); });
  counts_[tile] = count;
  return true;
}

void CodedTiles::check(uint32_t tile, const std::byte* texture, std::optional<uint32_t> of_tile) {
  for (CodedSlice& coded : slices(tile)) {
    const bool is_known = of_tile && coded.slice.sub_slices == 1;
    coded.check = is_known ? *of_tile : slice_check(grid_, coded.slice, texture);
  }
}

void CodedTiles::check(uint32_t first, uint32_t end, const std::byte* texture) {
  std::array<CodedSlice*, kChecksAtOnce> at_once{};
  std::array<Slice, kChecksAtOnce> slices;
  std::array<uint32_t, kChecksAtOnce> checks{};
  size_t count = 0;
  const auto check_all = [&] {
    slice_checks(grid_, std::span(slices).first(count), texture, checks);
    for (size_t i = 0; i < count; ++i) at_once[i]->check = checks[i];
    count = 0;
  };
  for (uint32_t tile = first; tile < end; ++tile)
    for (CodedSlice& coded : this->slices(tile)) {
      at_once[count] = &coded;
      slices[count++] = coded.slice;
      if (count == kChecksAtOnce) check_all();
    }
  check_all();
}

}  // namespace texcast::compact
