// incoming_frame.h — one frame while it is received: its tiles and its state. Frames are reused:
//
//   free ──first packet──► filling ──last byte, or timeout──► finished ──poll()──► given ──next frame given──► free
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "frame_parity.h"
#include "media_packet.h"
#include "nack_scheduler.h"
#include "payload_slots.h"
#include "tile_buffer.h"

namespace texcast::transport {

// One tile; most streams have one. Its bytes are the picture's, or an UltraGrid FEC block that contains the picture.
struct Tile {
  Tile() {
    present.reserve(64);  // as many ranges as a lossy network leaves in a frame
    concealed.reserve(64);
  }
  bool begun = false;   // a packet of it arrived
  bool whole = false;   // every byte of its picture is there, with or without parity
  bool broken = false;  // all of its data is there, and contains no picture
  PacketShape shape;
  TileBuffer data;
  bool marked = false;  // has had the marker bit, which UltraGrid's senders set in the last packet of the last tile
  uint32_t packets = 0;
  uint32_t largest_piece = 0;  // of its packets, in bytes

  // FEC
  uint32_t picture_end = 0;            // within the block; 0: not known yet
  uint32_t next_try = 0;               // number of whole symbols at which FEC decoding is tried again
  std::optional<TilePicture> inner{};  // from the video header inside the block
  uint32_t inner_bytes = 0;            // the picture's size
  std::vector<ByteRange> present{};    // ranges of the picture, set when the frame is delivered
  std::vector<ByteRange> concealed{};  // the same
  uint64_t recovered_bytes = 0;        // of the picture, recovered by parity

  // `memory` has room for shape.length bytes, or is empty (IncomingFrame::unbuffered).
  void begin(const PacketShape& of, FrameLoan memory) {
    begun = true;
    whole = broken = marked = false;
    shape = of;
    packets = largest_piece = picture_end = inner_bytes = 0;
    next_try = shape.k;
    inner.reset();
    recovered_bytes = 0;
    data.begin(std::move(memory), shape.length);
  }
  // A single packet may carry a damaged tile number.
  bool is_confirmed() const { return packets > 1 || whole; }
  std::optional<TilePicture> picture() const { return shape.fec() ? inner : std::optional(shape.picture); }
  // The picture's bytes; call only if their number is known.
  MutableBytes bytes() {
    return shape.fec() ? data.memory().subspan(4 + kVideoHeaderBytes, inner_bytes) : data.memory();
  }
};

// The lowest and the highest counter of the envelopes in which a frame's packets came. All packets of the frame between
// these have counters between them.
struct CounterSpan {
  uint64_t lowest = UINT64_MAX, highest = 0;
  bool any() const { return lowest <= highest; }
  bool contains(uint64_t counter) const { return counter >= lowest && counter <= highest; }
  void add(uint64_t counter) {
    lowest = std::min(lowest, counter);
    highest = std::max(highest, counter);
  }
};

struct IncomingFrame {
  enum class Phase : uint8_t { free, filling, finished, delivered };
  Phase phase = Phase::free;
  uint64_t id = 0;  // counts the frames that were begun
  uint64_t order = 0, run = 0;
  uint64_t sender = 0;  // SsrcSelector::number()
  uint32_t ssrc = 0, timestamp = 0, buffer_id = 0;
  std::optional<StreamExtension> extension{};
  uint32_t packets = 0;
  uint64_t last_number = 0;     // highest sequence number of its packets, unwrapped
  SteadyTime begun{}, heard{};  // arrival of the first and of the latest packet, duplicates included
  SteadyTime deadline{};        // delivered at this time at the latest, complete or not
  bool ended = false;           // its end has arrived, so the deadline is near
  SteadyTime ended_at{};
  WallTime first_packet{}, assembled{};

  std::array<Tile, kMaxTiles> tiles{};
  FrameParity symbols;            // texcast's own wire format; not known() for others
  CounterSpan counters{};         // of a sealed stream
  FrameNacks nacks;               // packets requested by NACK
  int tiles_delivered = 0;        // when it is delivered
  uint32_t mismatched_tiles = 0;  // packets of tiles that do not match the others
  uint32_t contradicted = 0;      // by packets that look like the stream
  bool unbuffered = false;        // the store had no memory for it: its packets are only counted

  // Coded frame: its only tile has no bytes, and is whole when all payloads have arrived.
  PayloadSlots payloads{};
  uint32_t total = 0;  // number of payloads; 0: not known yet
  uint32_t repaired = 0;
  std::optional<CompactDescription> description{};
  // It contradicts the stream's description so far (JitterBuffer).
  bool is_suspect = false;
  // None of its packets has arrived, but packets of a later frame have, so all of its packets are requested. Until one
  // arrives, properties that both frames share are assumed to be the later frame's.
  bool skipped = false;
  bool compact() const { return tiles[0].begun && tiles[0].shape.compact; }

  bool is_waiting() const { return phase == Phase::filling || phase == Phase::finished; }
  // The minimum number of tiles, by the confirmed ones and by confirmed ones with the marker bit.
  int tiles_there() const {
    return last_tile([](const Tile& tile) { return tile.is_confirmed(); });
  }
  int tiles_marked() const {
    return last_tile([](const Tile& tile) { return tile.is_confirmed() && tile.marked; });
  }
  bool complete() const {
    const int there = tiles_there();
    return there > 0 && std::all_of(tiles.begin(), tiles.begin() + there, [](const Tile& t) { return t.whole; });
  }
  // The tile that stands for the others' properties.
  const Tile& first_tile() const {
    return *std::find_if(tiles.begin(), tiles.end() - 1, [](const Tile& tile) { return tile.begun; });
  }
  // True if the packet cannot belong to this frame. All packets of a tile share its whole shape; packets of different
  // tiles share the properties that are common to all tiles.
  bool contradicts(const MediaPacket& packet) const {
    if (skipped) return !packet.compact;
    if (timestamp != packet.rtp.timestamp) return true;
    if (packet.compact && packet.compact->description && description &&
        described_stream(*packet.compact->description) != described_stream(*description))
      return true;
    const Tile& same = tiles[packet.substream];
    if (same.begun) return same.shape != packet.shape;
    const PacketShape& other = first_tile().shape;
    return other.scheme != packet.shape.scheme || other.picture != packet.shape.picture;
  }
  // True if both describe the stream alike, as far as is known.
  bool agrees_with(const IncomingFrame& other) const {
    if (description && other.description) return described_stream(*description) == described_stream(*other.description);
    const PacketShape &a = first_tile().shape, &b = other.first_tile().shape;
    return a.compact == b.compact && a.picture == b.picture;
  }
  void begin() {
    for (Tile& tile : tiles) tile.begun = tile.whole = false;
    symbols.begin();
    nacks.begin();
    counters = {};
    extension.reset();
    packets = 0;
    last_number = 0;
    ended = false;
    assembled = {};
    tiles_delivered = 0;
    mismatched_tiles = contradicted = 0;
    unbuffered = false;
    total = repaired = 0;
    skipped = is_suspect = false;
    description.reset();
  }

 private:
  template <typename Is>
  int last_tile(Is is) const {
    for (int i = kMaxTiles; i > 0; --i)
      if (tiles[static_cast<size_t>(i - 1)].begun && is(tiles[static_cast<size_t>(i - 1)])) return i;
    return 0;
  }
};

}  // namespace texcast::transport
