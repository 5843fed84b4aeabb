// assembler.h — packets into the frames that they are of: bytes to their place, symbols of codes repaired as soon as
// they can be, and when a frame is whole.
//
// Owns: the codes of parity and of UltraGrid's FEC, which all frames share.
// Invariants: a packet that take() is given ends in exactly one counter. A tile is `whole` from the moment on when
// every byte of its picture is there, and nothing is put into it after that. Repair is not tried after every packet,
// but when so much has come that it may succeed.
#pragma once

#include <cstdint>

#include "frame_history.h"
#include "frame_table.h"
#include "incoming_frame.h"
#include "request_sender.h"
#include "sender_follower.h"
#include "transport/receive_session.h"
#include "transport/ultragrid_fec_block.h"

namespace texcast::transport {

class Assembler {
 public:
  using Arrival = SenderFollower::Arrival;

  Assembler(const ReceiveSettings& settings, const SenderFollower& sender, const FrameHistory& history,
            RequestSender& requests, FrameTable& table, ReceiveCounters& counters)
      : settings_(settings),
        sender_(sender),
        history_(history),
        requests_(requests),
        table_(table),
        counters_(counters) {}

  // The packet does not contradict its frame, which the table has found or begun.
  void take(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now, WallTime wall_now);
  // What is in a tile that is a block of UltraGrid's FEC, repaired where that is possible.
  void read_block(Tile& tile);

 private:
  // Texcast's own mode.
  void note_layout(IncomingFrame& frame, const MediaPacket& packet);
  void note_arrival(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now);
  bool take_parity(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now);
  void repair_group(IncomingFrame& frame, uint32_t group);

  // Compact frames.
  void take_compact(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now,
                    WallTime wall_now);
  bool goes_with(const IncomingFrame& frame, const MediaPacket& packet) const;
  bool take_payload(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now);
  bool take_compact_parity(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now);
  void repair_payloads(IncomingFrame& frame, uint32_t group);
  void learn_of(IncomingFrame& frame, const MediaPacket& packet);

  void let_go(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now);
  bool take_data(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now);
  void count_taken(IncomingFrame& frame, const MediaPacket& packet);
  void count_order(IncomingFrame& frame, Arrival arrival);
  void note_end(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now);
  void note_begun(const IncomingFrame& frame, SteadyTime now);
  void end_earlier(const IncomingFrame& frame, SteadyTime now);
  void settle(Tile& tile, bool ended);
  bool whole(const IncomingFrame& frame) const;

  const ReceiveSettings& settings_;
  const SenderFollower& sender_;
  const FrameHistory& history_;
  RequestSender& requests_;
  FrameTable& table_;
  ReceiveCounters& counters_;
  UltraGridFecReader fec_reader_;
  ParityCodes parity_codes_;
};

}  // namespace texcast::transport
