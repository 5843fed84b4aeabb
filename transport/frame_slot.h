// frame_slot.h — one frame in progress: its tiles, and what is known of it.
//
//   free ──first packet──► filling ──last byte, or timeout──► finished ──poll()──► given ──next frame given──► free
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "media_packet.h"
#include "reassembler.h"

namespace texcast::transport {

// The bytes of one tile. A stream has one tile as a rule.
struct Tile {
  bool begun = false;  // a packet of it came
  PacketShape shape;
  Reassembler data;
};

struct FrameSlot {
  enum class Phase : uint8_t { free, filling, finished, given };
  Phase phase = Phase::free;
  uint64_t order = 0, run = 0;
  uint32_t ssrc = 0, timestamp = 0, buffer_id = 0;
  std::optional<StreamExtension> extension{};
  uint32_t packets = 0;
  uint64_t last_number = 0;  // highest sequence number of its packets, unwrapped
  SteadyTime begun{};
  SteadyTime deadline{};  // given out by then, holes or not
  bool ended = false;     // its end was seen, so the deadline is near
  WallTime first_packet{}, assembled{};
  std::array<Tile, kMaxTiles> tiles{};

  bool waits() const { return phase == Phase::filling || phase == Phase::finished; }
  bool complete() const { return tiles[0].begun && tiles[0].data.complete(); }
};

}  // namespace texcast::transport
