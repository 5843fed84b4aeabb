#include "compact/received_slice.h"

#include "compact/sub_block.h"
#include "sample_slice_decoder.h"
#include "slice_decoder.h"
#include "transform_slice_decoder.h"

namespace texcast::compact {
namespace {

bool copy_raw(const TileGrid& grid, const ParsedSlice& slice, std::byte* texture) {
  if (slice.bytes.size() != grid.raw_bytes(slice.slice)) return false;
  size_t used = 0;
  grid.for_each_sub_block(slice.slice, [&](size_t at) {
    store_sub_block(texture + at, load_sub_block(slice.bytes.data() + used));
    used += 8;
  });
  return true;
}

}  // namespace

void decode(ReceivedSlice& received, const SliceSurroundings& with, std::byte* texture) {
  const auto& [slice, coding, bytes] = received.parsed;
  const TileGrid& grid = with.grid;
  const std::byte* reference = with.reference;
  received.is_transform = is_lossy(coding) && is_transform_slice(bytes, is_intra(coding));
  if (coding == Coding::raw) {
    received.decoded = copy_raw(grid, received.parsed, texture);
  } else if (coding == Coding::samples) {
    received.decoded = decode_sample_slice(grid, slice, bytes, texture, with.samples.made);
  } else if (is_intra(coding)) {
    received.decoded =
        decode_slice(grid, slice, bytes, is_lossy(coding), nullptr, texture, nullptr, {.made = with.samples.made});
  } else if (needs_reference(coding)) {
    ReferenceReads reads(grid, with.reference_right);
    received.decoded = reference != nullptr &&
                       decode_slice(grid, slice, bytes, is_lossy(coding), reference, texture, &reads, with.samples);
    received.refers_right = reference != nullptr && reads.all_right();
  }
  if (!received.decoded) {  // restores what the decoder may have overwritten
    grid.for_each_sub_block(slice, [&](size_t at) {
      store_sub_block(texture + at, reference != nullptr ? load_sub_block(reference + at) : 0);
    });
    return;
  }
  received.check = slice_check(grid, slice, texture);
  // Repaired and refreshed tiles often have the bytes that are there already.
  if (reference != nullptr)
    grid.for_each_sub_block(slice, [&](size_t at) {
      received.changed = received.changed || load_sub_block(texture + at) != load_sub_block(reference + at);
    });
}

}  // namespace texcast::compact
