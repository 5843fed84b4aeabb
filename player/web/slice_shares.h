// slice_shares.h — divides a frame's slices between this player and helpers (slice_helper.h), to which nothing is
// common but messages. All numbers are little-endian:
//
//     share    frame (8) | length of the format's name (1) | name | width (4) | height (4) | 1 if there is a reference
//              frame (1) | reference | slices (4) | each slice
//     reference    pieces (4) | each piece: first byte (4), bytes (4), these bytes | a byte for each tile: 1 if it is
//              right | pieces of samples, in the same form. The pieces are what changed since the last share. There are
//              none of samples if no slice of the frame reads them.
//     slice    tile (4) | sub-slices (1) | sub-slice (1) | tiles (2) | coding (1) | length (2) | bytes
//     answer   frame (8) | for each slice: outcome (1) | check (4) | sub-blocks | samples
//
// The outcome's bit 0 is set if the slice was decoded, 1 if all that it refers to is right, 2 if it differs from the
// reference frame. An answer has a slice's sub-blocks, in the order of TileGrid::for_each_sub_block(), if they may not
// be in the player's texture already; and the samples of decoded transform slices and sample slices, 16 for each
// sub-block, row by row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "changed_rows.h"
#include "compact/frame_decoder.h"
#include "formats/row_changes.h"

namespace texcast::player {

inline constexpr unsigned kDecoded = 1, kRefersRight = 2, kChanged = 4, kAllOutcomes = 7;
// Whether an answer has a slice's sub-blocks.
inline bool has_blocks(unsigned outcome, bool has_reference) {
  return (outcome & kDecoded) != 0 && (!has_reference || (outcome & kChanged) != 0);
}

// Bytes of a slice's samples.
inline size_t sample_bytes(const compact::TileGrid& grid, const compact::Slice& slice) {
  return 2 * grid.raw_bytes(slice);
}
// Copies them between planes and a message.
void put_samples(const compact::TileGrid& grid, const compact::Slice& slice, const compact::SamplePlanes& planes,
                 MutableBytes message);
void take_samples(const compact::TileGrid& grid, const compact::Slice& slice, Bytes message,
                  compact::SamplePlanes& planes);

// The time to decode a slice: about that for so many coded bytes of a film.
size_t decoding_cost(const compact::ParsedSlice& slice);

// Not thread-safe. A helper's answer may be anything; if it is malformed, or if none comes, the slices are decoded
// here.
class SliceShares {
 public:
  // Returns the helper's number: 0, 1, …. `least_share`: it gets no share of a smaller decoding_cost().
  size_t add_helper(size_t least_share);
  // It gets no further shares. Its share of the frame under way is decoded here.
  void lose_helper(size_t helper);
  size_t helpers() const;  // that are not lost
  // Shares a frame that `decoder` has begun to decode into `texture`. False: it is too small, or there is no helper.
  // All arguments are borrowed until is_complete(). `reference`: how the reference frame differs from earlier ones.
  bool begin(compact::FrameDecoder& decoder, MutableBytes texture, const RowChanges& reference);
  // The message for a helper, once, valid until the next call; nothing if it has no share.
  std::optional<Bytes> take_share(size_t helper);
  // Decodes this player's own share, and those of helpers that were not taken.
  void decode_own();
  void on_answer(size_t helper, Bytes answer);
  // Whether all slices of the frame are decoded.
  bool is_complete() const;

 private:
  enum class State : uint8_t { done, ready, taken };  // of the share of the frame under way
  struct Helper {
    size_t least_share = 0;
    bool is_lost = false;
    HeldPicture held{}, held_samples{};  // its copy of the reference frame
    State state = State::done;
    size_t first = 0, end = 0;  // its slices
  };
  struct Answer {
    unsigned outcome = 0;
    uint32_t check = 0;
    Bytes blocks{}, samples{};
  };

  size_t choose(size_t cost);
  bool read(std::span<const compact::ReceivedSlice> slices, Bytes answer);
  void put_reference_samples(Helper& helper, const compact::SamplePlanes& samples);
  void decode_here(size_t first, size_t end);

  std::vector<Helper> helpers_;
  uint64_t frame_ = 0;
  compact::FrameDecoder* decoder_ = nullptr;
  MutableBytes texture_;
  RowChanges reference_;
  size_t own_first_ = 0, own_end_ = 0;
  std::vector<std::byte> share_;
  std::vector<Answer> answers_;  // of one helper
};

}  // namespace texcast::player
