// slice_helper.h — decodes a share of a frame's slices for a player in another instance of the program, which has no
// memory in common with this one (slice_shares.h). No I/O and no threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "compact/received_slice.h"
#include "compact/tile_grid.h"

namespace texcast::player {

// Not thread-safe. Keeps a copy of the reference frame from share to share.
class SliceHelper {
 public:
  // Returns the answer to a share, valid until the next call; nothing if the share is malformed: the copy of the
  // reference frame is unknown then.
  std::optional<Bytes> work(Bytes share);

 private:
  bool take_texture(ByteReader& share);
  bool take_reference(ByteReader& share);
  bool take_slice(ByteReader& share, const compact::SliceSurroundings& with);
  void put_blocks(const compact::Slice& slice);

  std::optional<compact::TileGrid> grid_;
  std::vector<std::byte> reference_;
  std::vector<uint8_t> reference_right_;                              // a byte for each tile
  std::vector<std::byte> texture_;                                    // the slices are decoded into it
  std::optional<compact::SamplePlanes> reference_samples_, samples_;  // of formats that may have transform slices
  std::vector<std::byte> answer_;
};

}  // namespace texcast::player
