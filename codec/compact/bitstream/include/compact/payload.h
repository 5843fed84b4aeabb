// payload.h — packs coded slices into payloads (packets) and parses these. A payload says for a range of tiles which
// are skipped, and carries the slices of the others. It can be decoded without the frame's other payloads.
//
// All numbers are little-endian:
//     payload   first tile (3 bytes) | check (4) | records
//     record    head (3) [ more skipped tiles (2) ] [ tiles - 1 (1) ] | slice
//     head      bits 0..10 length of the slice, 11..13 coding, 14..17 part, 18..23 skipped tiles
//
// The coding is a Coding; or 6, a change history (ChangeHistory) instead of a slice; or 7, no slice. The part is
// sub-slices - 1 + sub-slice; 15 is a slice of several tiles, which has the byte tiles - 1. If 63 tiles are skipped,
// two more bytes have the number of skipped tiles beyond 63.
//
// A record's tile follows that of the previous record, after the skipped tiles, which are as in the reference frame.
// The sub-slices of a tile follow each other with no tiles skipped. The check covers the first tile, the records, and
// the sub-blocks that the slices decode to.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "compact/coded_slice.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

inline constexpr size_t kPayloadHeaderBytes = 7;
inline constexpr size_t kRecordBytes = 3;
inline constexpr size_t kMostRecordBytes = kRecordBytes + 2 + 1;
inline constexpr size_t kMostSliceBytes = 2047;
// The longest slice that fits into a payload of its own. It has to be at least 384.
inline constexpr size_t slice_room(size_t payload_bytes) {
  const size_t room = payload_bytes - kPayloadHeaderBytes - 3 * kMostRecordBytes;
  return room < kMostSliceBytes ? room : kMostSliceBytes;
}

// The tiles that each of the previous frames coded. It tells a receiver that lost some of these frames, or some of
// their payloads, which of its tiles are invalid, and that all others are valid.
//
//     history   three times, the latest frame first: number of ranges + 1, or 0 if the frame is not described | ranges;
//               check (2)
//     range     tiles since the end of the previous range | tiles, at least 1
//
// All numbers except the check have 7 bits in each byte, the lowest first; bit 7 is set if another byte follows.
struct TileRange {
  uint32_t first = 0, count = 0;
};
struct ChangeHistory {
  static constexpr int kFrames = 3;
  static constexpr size_t kMostBytes = 128;  // frames that do not fit are not described
  struct Frame {
    bool is_described = false;
    std::vector<TileRange> ranges{};  // ascending, with gaps between them
  };
  std::array<Frame, kFrames> frames{};  // the latest first
};

// Computes how slices are divided into payloads, and how long these are, without writing them. Cheap to copy, so that
// the cost of a further slice can be tried on a copy.
class PayloadSizes {
 public:
  PayloadSizes(uint32_t tiles, size_t most_bytes) : tiles_(tiles), most_bytes_(most_bytes) {}
  // `history_bytes` is the length of the change history's record at the start of the first payload, with its head.
  void begin(size_t history_bytes = 0);
  // Returns whether the slice begins another payload.
  bool add(const CodedSlice& slice);
  // The payloads of the frame if it ended here.
  struct Sum {
    uint32_t payloads = 0;
    size_t bytes = 0, longest = 0;  // of all together; of the longest
  };
  Sum ended() const;
  // The tile after the last record, from which the next record counts.
  uint32_t next() const { return next_; }

 private:
  uint32_t tiles_;
  size_t most_bytes_;
  uint32_t next_ = 0;
  bool is_within_tile_ = false;  // tile next_ - 1 may have further sub-slices
  size_t used_ = 0;              // bytes of the current payload
  Sum closed_{};                 // the payloads before it
};

// Writes a frame's slices in order into payloads of at most `most_bytes`. Reuses its memory from frame to frame.
class PayloadWriter {
 public:
  PayloadWriter(const TileGrid& grid, size_t most_bytes);
  // Returns all payloads of a frame, at least one; valid until the next frame. `history` may be nullptr; it goes into
  // the first payload.
  std::span<const Bytes> write(std::span<const CodedSlice> slices, const ChangeHistory* history = nullptr);
  // The same in steps. Each step returns the payloads that it completed; they are valid until the next frame.
  void begin(const ChangeHistory* history = nullptr);
  size_t history_bytes() const { return history_bytes_; }  // of the current frame, for PayloadSizes::begin()
  std::span<const Bytes> add(std::span<const CodedSlice> slices);
  std::span<const Bytes> end();

 private:
  void open(uint32_t tile);
  void close();
  void add(const CodedSlice& slice);
  uint32_t skip(uint32_t tiles);
  void put_history(const ChangeHistory& history);
  void record(uint32_t skipped, uint32_t coding, uint32_t part, Bytes slice, uint16_t tiles = 1);

  uint32_t tiles_;
  PayloadSizes sizes_;             // of the current frame
  std::vector<std::byte> memory_;  // reserved for the largest frame, so that payloads never move
  std::vector<Bytes> payloads_;    // complete ones
  size_t opened_at_ = 0;           // start of the current payload
  size_t history_bytes_ = 0;
  uint32_t check_ = 0, heads_ = 0;  // of the current payload: check of its slices; of everything else
};

struct ParsedSlice {
  Slice slice;
  Coding coding{};
  Bytes bytes;
};

struct PayloadHeader {
  uint32_t first_tile = 0;
  uint32_t check = 0;  // joined_check of the slices, if all other bytes are as they were sent
};
// Calls `on_skipped`, `on_slice` and `on_history` in the order of the records. nullopt: the payload is damaged; the
// calls made until then remain valid.
std::optional<PayloadHeader> parse_payload(const TileGrid& grid, Bytes payload,
                                           const std::function<void(uint32_t first, uint32_t count)>& on_skipped,
                                           const std::function<void(const ParsedSlice&)>& on_slice,
                                           const std::function<void(const ChangeHistory&)>& on_history = {});

// About how many bytes of the texture a payload codes, by the heads of its records. It bounds the time that decoding
// may take.
size_t covered_bytes(const TileGrid& grid, Bytes payload);

// The check of a slice's sub-blocks in `texture`.
uint32_t slice_check(const TileGrid& grid, const Slice& slice, const std::byte* texture);
// The same for several slices, which takes less time for each: a processor computes four checks at once, as each step
// of a check waits for the previous one.
inline constexpr size_t kChecksAtOnce = 16;
void slice_checks(const TileGrid& grid, std::span<const Slice> slices, const std::byte* texture,
                  std::span<uint32_t, kChecksAtOnce> checks);
// Joins the checks of a payload's slices in order, from 0.
inline uint32_t joined_check(uint32_t check, uint32_t slice) { return (check ^ slice) * 0x9E3779B1u + 1; }

}  // namespace texcast::compact
