// outlet.h — frames on their way out: described, numbered, their holes filled, their tiles put together.
//
// Owns: the frame given out last, whose bytes fill the holes of the next, and the picture that its tiles make.
// Invariants: what give() gave stays as it is until the next give(). A frame without a picture is not given out, but
// counted as lost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assembler.h"
#include "frame_history.h"
#include "frame_table.h"
#include "incoming_frame.h"
#include "sender_follower.h"
#include "transport/receive_session.h"

namespace texcast::transport {

class Outlet {
 public:
  Outlet(const ReceiveSettings& settings, SenderFollower& sender, FrameHistory& history, FrameTable& table,
         Assembler& assembler, ReceiveCounters& counters)
      : settings_(settings),
        sender_(sender),
        history_(history),
        table_(table),
        assembler_(assembler),
        counters_(counters) {}

  // The frame, which is over now; nothing where there is no picture in it.
  std::optional<ReceivedFrame> give(IncomingFrame& frame);
  // As ReceiveSession::progress().
  std::optional<FrameProgress> progress() const;

 private:
  bool prepare(IncomingFrame& frame);
  bool prepare_tile(Tile& tile, const Tile* before);
  int tiles_of(const IncomingFrame& frame) const;
  StreamDesc describe(const IncomingFrame& frame) const;
  FrameTimes times_of(const IncomingFrame& frame) const;
  void fill_holes(IncomingFrame& frame, ReceivedFrame& out);
  void put_together(IncomingFrame& frame, ReceivedFrame& out);

  const ReceiveSettings& settings_;
  SenderFollower& sender_;
  FrameHistory& history_;
  FrameTable& table_;
  Assembler& assembler_;
  ReceiveCounters& counters_;
  IncomingFrame* shown_ = nullptr;   // given out last
  std::vector<std::byte> composed_;  // of several tiles
  std::vector<ByteRange> composed_concealed_;
  uint64_t stream_begin_ = 0;  // order of the stream's frame number 0
  int64_t ticks_ = 0;          // 90 kHz since the stream's first frame
};

}  // namespace texcast::transport
