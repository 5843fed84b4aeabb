// frame_history.h — what is remembered of finished frames: their numbers, and the stream's description according to the
// frame delivered last.
//
// Owns: the number of the newest finished frame, what had arrived of the latest 32, and KnownStream.
// Invariants: frame numbers only increase, so a frame up to the newest finished one is finished for good. KnownStream
// changes only when a frame is delivered, except for `expected_tiles`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "incoming_frame.h"
#include "ssrc_selector.h"
#include "transport/receive_session.h"

namespace texcast::transport {

// The stream according to the frame delivered last. Invalid while `any` is false.
struct KnownStream {
  bool any = false;
  uint64_t sender = 0;
  uint64_t run = 0;
  uint32_t timestamp = 0;
  SteadyTime begun{}, heard{};           // arrival of the first and latest packet
  nanoseconds distance{};                // between frames: the longest recently
  std::optional<PacketShape> shape{};    // of its first tile
  std::optional<TilePicture> picture{};  // of each tile
  int tiles = 0;
  int expected_tiles = 0;  // of the stream's next frame
  StreamDesc desc{};

  // True if the frame has the same sender and run.
  bool has(const IncomingFrame& frame) const { return any && frame.sender == sender && frame.run == run; }
  // The number of tiles that the frame should have: as many as the previous frame, if it looks like that one (by its
  // picture or, if that is not known yet, by its FEC block). 0: not known.
  int tiles_of(const IncomingFrame& frame) const;
};

class FrameHistory {
 public:
  FrameHistory(SsrcSelector& sender, ReceiveCounters& counters) : sender_(sender), counters_(counters) {}

  KnownStream& stream() { return stream_; }
  const KnownStream& stream() const { return stream_; }

  bool is_finished(uint64_t order) const { return order <= finished_order_; }
  // The newest finished frame, if it belongs to that run.
  std::optional<uint64_t> newest_finished(uint64_t run) const {
    return finished_run_ == run ? std::optional(finished_order_) : std::nullopt;
  }
  // The frame is finished, and its missing packets are not waited for. Counts the frames skipped since the previous
  // one, and the packets lost up to its end.
  void pass(const IncomingFrame& frame);
  // Counts a packet of a finished frame. True if the packet is late: neither a duplicate nor unneeded.
  bool count_too_late(const MediaPacket& packet, uint64_t order, SsrcSelector::Arrival arrival);
  // True if the frame, of which a packet has arrived, contradicts the description of its sender's stream. A single
  // packet can do so, and unless the stream is sealed, anybody who can forge the sender's address can send it.
  bool is_contradicted_by(const IncomingFrame& frame) const;
  // True if the packet describes the stream as the frame delivered last did, as far as the packet describes it.
  bool agrees_with(const MediaPacket& packet) const;
  // True if the frame has one packet only and the previous frame is missing altogether: probably a damaged frame
  // number. Delivering it would make all genuine frames up to its number late.
  bool looks_damaged(const IncomingFrame& frame) const {
    return frame.packets <= 1 && !frame.complete() && frame.run == finished_run_ && frame.order > finished_order_ + 1;
  }

 private:
  struct Finished {
    uint64_t order = 0;
    bool complete = false;
    uint8_t beyond = 0;                         // packets of tiles beyond its last one, counted up to 2
    std::array<uint32_t, kMaxTiles> arrived{};  // of each tile: contiguous bytes from its beginning
  };

  SsrcSelector& sender_;
  ReceiveCounters& counters_;
  KnownStream stream_;
  uint64_t finished_order_ = 0, finished_run_ = 0;  // the newest finished frame
  std::array<Finished, 32> finished_{};             // the latest ones, to tell duplicates from late packets
};

}  // namespace texcast::transport
