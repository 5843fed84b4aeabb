// incoming_frame.h — one frame under way: its tiles, and what is known of it. Places for frames are used again and
// again:
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
#include "payload_slots.h"
#include "reassembler.h"
#include "retransmit_requester.h"

namespace texcast::transport {

// One tile; a stream has one as a rule. Its bytes are the picture's, or a block of UltraGrid's FEC with the picture in
// it.
struct Tile {
  Tile() {
    present.reserve(64);  // as many as a bad network makes in a frame
    concealed.reserve(64);
  }
  bool begun = false;   // a packet of it came
  bool whole = false;   // every byte of its picture is there, with parity's help or without
  bool broken = false;  // all of its data is there, and no picture in it
  PacketShape shape;
  Reassembler data;
  bool marked = false;  // by the marker bit, which UltraGrid's senders set at the end of the last tile
  uint32_t packets = 0;
  uint32_t largest_piece = 0;  // of its packets

  // FEC
  uint32_t picture_end = 0;            // in the block; 0: not known yet
  uint32_t next_try = 0;               // repair is tried again when so many whole symbols are there
  std::optional<TilePicture> inner{};  // from the block's own video header
  uint32_t inner_bytes = 0;            // of the picture
  std::vector<ByteRange> present{};    // of the picture; when the frame is given out
  std::vector<ByteRange> concealed{};  // of it, too
  uint64_t recovered_bytes = 0;        // of the picture, by parity

  // `memory` has room for shape.length, or is empty (IncomingFrame::unbuffered).
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
  // One packet may have a damaged number.
  bool sure() const { return packets > 1 || whole; }
  std::optional<TilePicture> picture() const { return shape.fec() ? inner : std::optional(shape.picture); }
  // The picture's bytes, where it is known how many they are.
  MutableBytes bytes() {
    return shape.fec() ? data.memory().subspan(4 + kVideoHeaderBytes, inner_bytes) : data.memory();
  }
};

struct IncomingFrame {
  enum class Phase : uint8_t { free, filling, finished, given };
  Phase phase = Phase::free;
  uint64_t id = 0;  // counts the frames that were begun
  uint64_t order = 0, run = 0;
  uint64_t sender = 0;  // SenderFollower::number()
  uint32_t ssrc = 0, timestamp = 0, buffer_id = 0;
  std::optional<StreamExtension> extension{};
  uint32_t packets = 0;
  uint64_t last_number = 0;     // highest sequence number of its packets, unwrapped
  SteadyTime begun{}, heard{};  // first and latest packet, duplicates too
  SteadyTime deadline{};        // given out by then, holes or not
  bool ended = false;           // its end was seen, so the deadline is near
  SteadyTime ended_at{};
  WallTime first_packet{}, assembled{};

  std::array<Tile, kMaxTiles> tiles{};
  FrameParity symbols;         // of texcast's own mode; not known() in others
  FrameRequests requests;      // packets asked for again
  int tiles_given = 0;         // when it is given out
  uint32_t strange_tiles = 0;  // packets of tiles that do not go with the others
  uint32_t contradicted = 0;   // by packets that look like the stream
  bool unbuffered = false;     // the store had no memory for it: its packets are counted, and that is all

  // A compact frame: its only tile has no bytes, and is whole when all payloads are there.
  PayloadSlots payloads{};
  uint32_t total = 0;  // payloads that it has; 0: not known yet
  uint32_t repaired = 0;
  std::optional<CompactDescription> description{};
  // It contradicts the stream as it was so far (FrameTable).
  bool is_doubted = false;
  // Nothing of it has come, but a frame after it: its packets are asked for. What is in common with that one is taken
  // to be the same until a packet comes.
  bool skipped = false;
  bool compact() const { return tiles[0].begun && tiles[0].shape.compact; }

  bool waits() const { return phase == Phase::filling || phase == Phase::finished; }
  // How many tiles there are at least: by those that are sure, or by those that carried the marker bit.
  int tiles_there() const {
    return last_tile([](const Tile& tile) { return tile.sure(); });
  }
  int tiles_marked() const {
    return last_tile([](const Tile& tile) { return tile.sure() && tile.marked; });
  }
  bool complete() const {
    const int there = tiles_there();
    return there > 0 && std::all_of(tiles.begin(), tiles.begin() + there, [](const Tile& t) { return t.whole; });
  }
  // The tile that tells what the others are like.
  const Tile& first_tile() const {
    return *std::find_if(tiles.begin(), tiles.end() - 1, [](const Tile& tile) { return tile.begun; });
  }
  // Whether the packet cannot be one of this frame: packets of one tile repeat all of its shape, those of different
  // tiles what is the same for all.
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
  // True if both describe the stream alike, as far as is known by now.
  bool says_as(const IncomingFrame& other) const {
    if (description && other.description) return described_stream(*description) == described_stream(*other.description);
    const PacketShape &a = first_tile().shape, &b = other.first_tile().shape;
    return a.compact == b.compact && a.picture == b.picture;
  }
  void begin() {
    for (Tile& tile : tiles) tile.begun = tile.whole = false;
    symbols.begin();
    requests.begin();
    extension.reset();
    packets = 0;
    last_number = 0;
    ended = false;
    assembled = {};
    tiles_given = 0;
    strange_tiles = contradicted = 0;
    unbuffered = false;
    total = repaired = 0;
    skipped = is_doubted = false;
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
