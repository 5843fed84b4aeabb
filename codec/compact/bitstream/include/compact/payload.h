// payload.h — units in payloads, which are what travels: each says of a run of tiles which are as they were and how the
// others are now, and is of use without the others.
//
// All little-endian:
//     payload   first tile (3 bytes) | check (4) | records
//     record    3 bytes: bits 0..10 length, 11..13 coding (Coding; 7: no unit follows), 14..17 strips - 1 + strip (15:
//     a
//                        run), 18..23 tiles passed over; where that is 63, two bytes more with what is beyond 63; of a
//                        run a byte with its tiles - 1 | the unit
// A record's tile is the one after the last record's that is not passed over; a tile's strips follow each other with
// none passed over. Coding 6 is no unit but tells what the frames before changed (ChangeHistory), for who lost them.
// Tiles that are passed over are as they were. The check is over the first tile, the records and what the units decode
// to. Coding 5 is for later: a decoder takes such units for damaged.
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
// What a unit may have so that it fits a payload of its own; 384 at least are needed.
inline constexpr size_t slice_room(size_t payload_bytes) {
  const size_t room = payload_bytes - kPayloadHeaderBytes - 3 * kMostRecordBytes;
  return room < kMostSliceBytes ? room : kMostSliceBytes;
}

// Which tiles the last frames gave anew. Who lost some of these frames, or some of their payloads, knows then which
// tiles are not right, and that all others are.
//
//     history   three times (the frame before first): number of ranges + 1, or 0: not told | ranges; check (2)
//     range     tiles since the end of the range before it | tiles, 1 at least
// All but the check are numbers of 7 bits a byte, the lower ones first, with bit 7 where another byte follows.
struct TileRange {
  uint32_t first = 0, count = 0;
};
struct ChangeHistory {
  static constexpr int kFrames = 3;
  static constexpr size_t kMostBytes = 128;  // frames for which there is no room are not told
  struct Frame {
    bool is_told = false;
    std::vector<TileRange> ranges{};  // in order, apart from each other
  };
  std::array<Frame, kFrames> frames{};  // that before this one first
};

// How units lie in payloads, without their bytes: which unit begins another payload, and how long all are. A small
// value: what a further unit would take is tried on a copy.
class PayloadSizes {
 public:
  PayloadSizes(uint32_t tiles, size_t most_bytes) : tiles_(tiles), most_bytes_(most_bytes) {}
  // `history_bytes`: of the record that the first payload begins with, with its head.
  void begin(size_t history_bytes = 0);
  // Whether the unit goes into a payload of its own or before others.
  bool add(const CodedSlice& slice);
  // Payloads of the frame, if it ended here: how many, their bytes, and those of the longest.
  struct Sum {
    uint32_t payloads = 0;
    size_t bytes = 0, longest = 0;
  };
  Sum ended() const;
  // The tile behind the last record, from which the next one counts.
  uint32_t next() const { return next_; }

 private:
  uint32_t tiles_;
  size_t most_bytes_;
  uint32_t next_ = 0;
  bool is_within_ = false;  // tile next_ - 1 may have further strips
  size_t used_ = 0;         // of the payload at hand
  Sum closed_{};            // those before it
};

// A frame's units into payloads of a bounded size, in order. Keeps memory from frame to frame.
class PayloadWriter {
 public:
  PayloadWriter(const TileGrid& grid, size_t most_bytes);
  // All payloads of a frame, at least one; valid until the next frame.
  // `history`, where it is not nullptr, goes into the first one.
  std::span<const Bytes> write(std::span<const CodedSlice> slices, const ChangeHistory* history = nullptr);
  // The same bit by bit: each returns what has become whole, at least one in all, valid until the next frame.
  void begin(const ChangeHistory* history = nullptr);
  size_t history_bytes() const { return history_bytes_; }  // of the frame begun, as PayloadSizes::begin() is told
  std::span<const Bytes> add(std::span<const CodedSlice> slices);
  std::span<const Bytes> end();

 private:
  void open(uint32_t tile);
  void close();
  void add(const CodedSlice& slice);
  uint32_t pass(uint32_t tiles);
  void put_history(const ChangeHistory& history);
  void record(uint32_t passed, uint32_t coding, uint32_t part, Bytes slice, uint16_t tiles = 1);

  uint32_t tiles_;
  PayloadSizes sizes_;             // of the frame at hand
  std::vector<std::byte> memory_;  // has room for any frame: what is in it stays where it is
  std::vector<Bytes> payloads_;    // that are whole
  size_t opened_at_ = 0;           // the payload at hand
  size_t history_bytes_ = 0;
  uint32_t check_ = 0, heads_ = 0;  // of it: of its units; of the rest
};

struct ParsedSlice {
  Slice slice;
  Coding coding{};
  Bytes bytes;
};

// What a payload says, unit by unit. `passed(first, count)`: tiles that are as they were; `found(unit)`; `told`: the
// history, where there is one. False where
// the bytes make no sense: what was told before that stands.
struct PayloadHeader {
  uint32_t first_tile = 0;
  uint32_t check = 0;  // joined_check of the units, if the rest is what was sent
};
std::optional<PayloadHeader> parse_payload(const TileGrid& grid, Bytes payload,
                                           const std::function<void(uint32_t first, uint32_t count)>& passed,
                                           const std::function<void(const ParsedSlice&)>& found,
                                           const std::function<void(const ChangeHistory&)>& told = {});

// About how many bytes of the texture a payload tells anew, by the heads of its records: what decoding it may cost.
size_t covered_bytes(const TileGrid& grid, Bytes payload);

// Of the half-blocks of a unit as they stand in `texture`; and of a payload's units one after the other, from 0.
uint32_t slice_check(const TileGrid& grid, const Slice& slice, const std::byte* texture);
inline uint32_t joined_check(uint32_t before, uint32_t slice) { return (before ^ slice) * 0x9E3779B1u + 1; }

}  // namespace texcast::compact
