// frame_assembler.h — puts packets into their frames: copies bytes to their place, recovers lost packets by FEC as soon
// as possible, and detects complete frames.
//
// Owns: the decoders of texcast's parity and of UltraGrid's FEC, which all frames share.
// Invariants: each packet passed to take() ends in exactly one counter. A tile becomes `whole` when every byte of its
// picture is there, and nothing is put into it after that. FEC decoding is tried only when enough has arrived that it
// may succeed, not after every packet.
#pragma once

#include <cstdint>

#include "frame_history.h"
#include "incoming_frame.h"
#include "jitter_buffer.h"
#include "nack_sender.h"
#include "ssrc_selector.h"
#include "transport/receive_session.h"
#include "transport/ultragrid_fec_block.h"

namespace texcast::transport {

class FrameAssembler {
 public:
  using Arrival = SsrcSelector::Arrival;

  FrameAssembler(const ReceiveSettings& settings, const SsrcSelector& sender, const FrameHistory& history,
                 NackSender& nacks, JitterBuffer& jitter_buffer, ReceiveCounters& counters)
      : settings_(settings),
        sender_(sender),
        history_(history),
        nacks_(nacks),
        jitter_buffer_(jitter_buffer),
        counters_(counters) {}

  // The jitter buffer has found or begun the frame, and the packet does not contradict it.
  void take(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now, WallTime wall_now);
  // Decodes an UltraGrid FEC block, recovering losses if possible.
  void read_block(Tile& tile);
  // A packet of the frame arrived that is there already. The frame may have been delivered.
  void note_duplicate(const IncomingFrame& frame, const MediaPacket& packet, SteadyTime now);

 private:
  // Texcast's own wire format.
  void note_layout(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now);
  void note_arrival(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now);
  bool take_parity(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now);
  void repair_group(IncomingFrame& frame, uint32_t group);

  // Coded frames.
  void take_compact(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now,
                    WallTime wall_now);
  bool is_consistent(const IncomingFrame& frame, const MediaPacket& packet) const;
  bool take_payload(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now);
  bool take_compact_parity(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now);
  void repair_payloads(IncomingFrame& frame, uint32_t group);
  void learn_from(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now);

  void drop_unbuffered(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now);
  bool take_data(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now);
  void count_taken(IncomingFrame& frame, const MediaPacket& packet);
  void count_order(IncomingFrame& frame, Arrival arrival);
  void note_end(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now);
  void note_begun(const IncomingFrame& frame, SteadyTime now);
  void end_earlier(const IncomingFrame& frame, SteadyTime now);
  void update_tile(Tile& tile, bool ended);
  bool is_complete(const IncomingFrame& frame) const;

  const ReceiveSettings& settings_;
  const SsrcSelector& sender_;
  const FrameHistory& history_;
  NackSender& nacks_;
  JitterBuffer& jitter_buffer_;
  ReceiveCounters& counters_;
  UltraGridFecReader fec_reader_;
  ParityCodes parity_codes_;
};

}  // namespace texcast::transport
