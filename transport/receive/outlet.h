// outlet.h — frames on their way out: described, numbered, their holes filled, their tiles put together.
//
// Owns: the frame given out last, whose bytes fill the holes of the next, and the picture that its tiles make.
// Invariants: what give() gave is in the store's memory, and stays on loan until the next give(). A frame without a
// picture is not given out, but counted as lost; so is one without memory, as unbuffered.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assembler.h"
#include "frame_history.h"
#include "frame_table.h"
#include "incoming_frame.h"
#include "sender_follower.h"
#include "transport/frame_store.h"
#include "transport/receive_session.h"

namespace texcast::transport {

class Outlet {
 public:
  Outlet(const ReceiveSettings& settings, SenderFollower& sender, FrameHistory& history, FrameTable& table,
         Assembler& assembler, FrameStore& store, ReceiveCounters& counters)
      : settings_(settings),
        sender_(sender),
        history_(history),
        table_(table),
        assembler_(assembler),
        store_(store),
        counters_(counters) {}

  // The frame, which is over now; nothing where there is no picture in it, or was no memory for it.
  std::optional<ReceivedFrame> give(IncomingFrame& frame);
  // As ReceiveSession::progress().
  std::optional<FrameProgress> progress() const;
  std::optional<PayloadProgress> payload_progress() const;  // the same

 private:
  bool prepare(IncomingFrame& frame);
  bool prepare_compact(IncomingFrame& frame);
  bool knows_description(const IncomingFrame& frame) const;
  StreamDesc describe_compact(const IncomingFrame& frame) const;
  void give_payloads(IncomingFrame& frame, ReceivedFrame& out);
  bool prepare_tile(Tile& tile, const Tile* before);
  bool prepare_composed(IncomingFrame& frame);
  int tiles_of(const IncomingFrame& frame) const;
  StreamDesc describe(const IncomingFrame& frame) const;
  FrameTimes times_of(const IncomingFrame& frame) const;
  size_t conceal_unit(const FourCC& fourcc) const;
  void fill_holes(IncomingFrame& frame, ReceivedFrame& out);
  void put_together(IncomingFrame& frame, ReceivedFrame& out);

  const ReceiveSettings& settings_;
  SenderFollower& sender_;
  FrameHistory& history_;
  FrameTable& table_;
  Assembler& assembler_;
  FrameStore& store_;
  ReceiveCounters& counters_;
  IncomingFrame* shown_ = nullptr;  // given out last
  FrameLoan composed_;              // of several tiles
  std::vector<ByteRange> composed_concealed_;
  std::vector<Bytes> payloads_;  // of the frame given out last, where it is compact
  uint64_t stream_begin_ = 0;    // order of the stream's frame number 0
  int64_t ticks_ = 0;            // 90 kHz since the stream's first frame
};

}  // namespace texcast::transport
