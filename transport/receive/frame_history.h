// frame_history.h — what is remembered of frames that are over: which they were, and what the stream is like by the one
// given out last.
//
// Owns: the number of the newest frame that is over, what had come of the latest 32, and KnownStream.
// Invariants: numbers only go up, so a frame up to passed_order() is over for good; KnownStream changes only when a
// frame is given out, but for `expected_tiles`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "incoming_frame.h"
#include "sender_follower.h"
#include "transport/receive_session.h"

namespace texcast::transport {

// As the frame given out last had it. Nothing of it counts while `any` is false.
struct KnownStream {
  bool any = false;
  uint64_t sender = 0;
  uint64_t run = 0;
  uint32_t timestamp = 0;
  SteadyTime begun{}, heard{};           // first and latest packet
  nanoseconds distance{};                // from frame to frame, the longest of late
  std::optional<PacketShape> shape{};    // of its first tile
  std::optional<TilePicture> picture{};  // of each tile
  int tiles = 0;
  int expected_tiles = 0;  // of the stream's next frame
  StreamDesc desc{};

  // Whether the frame is one of the same sender and run.
  bool has(const IncomingFrame& frame) const { return any && frame.sender == sender && frame.run == run; }
  // How many tiles the frame should have: as many as the one before, if it looks like it (by its picture, or where that
  // is not known yet by its FEC block). 0: not known.
  int tiles_of(const IncomingFrame& frame) const;
};

class FrameHistory {
 public:
  FrameHistory(SenderFollower& sender, ReceiveCounters& counters) : sender_(sender), counters_(counters) {}

  KnownStream& stream() { return stream_; }
  const KnownStream& stream() const { return stream_; }

  bool over(uint64_t order) const { return order <= passed_order_; }
  // The newest frame that is over, where it is of that run.
  std::optional<uint64_t> newest_over(uint64_t run) const {
    return passed_run_ == run ? std::optional(passed_order_) : std::nullopt;
  }
  // The frame is over: what is missing of it is not waited for. Counts the frames between it and the one before, and
  // the packets lost up to its end.
  void pass(const IncomingFrame& frame);
  // A packet of a frame that is over: counted. True where it is late, no copy and nothing that was not needed.
  bool count_too_late(const MediaPacket& packet, uint64_t order, SenderFollower::Arrival arrival);
  // True if the frame, of which a packet has come, describes its sender's stream as something else than it was. One
  // packet can do so, and anybody who can forge the sender's address can send it, unless the stream is sealed.
  bool is_contradicted_by(const IncomingFrame& frame) const;
  // True if the packet describes the stream as the frame given out last did, as far as it describes it.
  bool agrees_with(const MediaPacket& packet) const;
  // Whether the frame is one packet, with nothing of the frame just before it: more likely a damaged frame number than
  // a frame. Giving it out would make all true frames up to its number late.
  bool looks_stray(const IncomingFrame& frame) const {
    return frame.packets <= 1 && !frame.complete() && frame.run == passed_run_ && frame.order > passed_order_ + 1;
  }

 private:
  struct Passed {
    uint64_t order = 0;
    bool complete = false;
    uint8_t beyond = 0;                         // packets of tiles that it had not, up to 2
    std::array<uint32_t, kMaxTiles> arrived{};  // of each tile, without a hole from its beginning
  };

  SenderFollower& sender_;
  ReceiveCounters& counters_;
  KnownStream stream_;
  uint64_t passed_order_ = 0, passed_run_ = 0;  // the newest frame that is over
  std::array<Passed, 32> passed_{};             // the latest, for telling duplicates from late packets
};

}  // namespace texcast::transport
