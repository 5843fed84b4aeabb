// nack_sender.h — sends NACKs for lost packets to the sender, or to a relay without the key that it is received
// through, and decides how long to wait for the retransmissions. No I/O; time is an argument.
//
// Owns: the round-trip statistics (nack_scheduler.h), the gaps in the counters of a sealed session (envelope_gaps.h),
// the usual gap between packets, and the buffers of the latest requests. The state of a frame's NACKs is in the frame.
// Invariants: NACKs to the sender cover only packets of filling frames of the selected sender, and only if it announced
// that it answers them (FrameNacks::by_sender). While a relay repairs the stream, they are left to it for two of its
// round trips, unless it lacks them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "incoming_frame.h"
#include "ssrc_selector.h"
#include "transport/envelope_gaps.h"
#include "transport/receive_session.h"
#include "transport/sealing.h"

namespace texcast::transport {

class NackSender {
 public:
  NackSender(const ReceiveSettings& settings, const SsrcSelector& sender);

  // True if the frame's packets can be requested: the sender or a relay answers, and it is known which packets the
  // frame has.
  static bool can_request(const IncomingFrame& frame) { return frame.nacks.answered && frame.symbols.known(); }

  // The sealed session of the selected sender; nothing: it is not sealed.
  void follow(std::optional<uint64_t> session);
  // An authenticated envelope. True if it is of that session, and an envelope NACK had requested it.
  bool envelope_arrived(uint64_t session, uint64_t counter, SteadyTime now) {
    return envelopes_.follows(session) && envelopes_.arrived(counter, now);
  }
  // From the address of the selected sender: a relay repairs the session. False if it is another session.
  bool relay_offers(const EnvelopeList& offer, std::span<IncomingFrame> frames, SteadyTime now);
  bool is_repaired_by_relay(SteadyTime now) const {
    return envelopes_.is_offered(now, sender_.selected().from) && envelopes_.expects_answers(now);
  }
  // The frame is delivered: nothing of it is requested any more.
  void delivered(const IncomingFrame& frame) {
    if (frame.counters.any()) envelopes_.forget_up_to(frame.counters.highest);
  }
  // Notes who answers requests for the frame; `sender`: it said so in a packet of the frame.
  void note_answers(FrameNacks& frame, bool sender, SteadyTime now) const;

  // A packet was put into the frame, and the frame's `symbols` are up to date. Returns true if the packet had been
  // requested. `from_relay`: by an envelope NACK.
  bool data_arrived(IncomingFrame& frame, uint32_t packet, SteadyTime now, bool from_relay);
  void parity_arrived(IncomingFrame& frame, SteadyTime now);
  // A data packet arrived that had arrived, or been recovered, before. The frame may have been delivered.
  void duplicate_arrived(const IncomingFrame& frame, uint32_t packet, SteadyTime now);
  void over(IncomingFrame& frame, SteadyTime now);  // a later frame has begun
  // The end of a coded frame is missing: expects one packet more than arrived if their number is unknown.
  static void expect_end(IncomingFrame& frame);

  bool expects_answers(SteadyTime now) const { return scheduler_.expects_answers(now) || is_repaired_by_relay(now); }
  // True if requested packets of the frame may still arrive.
  bool awaits_answers(const IncomingFrame& frame, SteadyTime now) const;
  // How long a frame whose end has arrived is waited for.
  SteadyTime waits_until(const IncomingFrame& frame, SteadyTime now) const;

  // When poll() has something to do for any of the frames.
  std::optional<SteadyTime> next(std::span<const IncomingFrame> frames) const;
  // The next NACK, valid until the next call. Nothing: there is none now.
  std::optional<Bytes> poll(std::span<IncomingFrame> frames, SteadyTime now, WallTime wall_now);
  // A request for tiles, valid until the next call.
  Bytes ask_for_tiles(const TileRequest& request, std::span<const PacketRange> ranges, WallTime wall_now);
  // Packets; one that is requested twice counts twice.
  uint64_t requested() const { return scheduler_.requested() + envelopes_.requested(); }

 private:
  static constexpr size_t kMostBytes = kRequestHeaderBytes + 4 * RetransmitRequest::kMaxRanges;

  // The gap between consecutive packets of a stream: assumed at its beginning; its upper bound; and the most by which
  // one frame can raise it beyond twice its value, so that a single pause does not delay NACKs for long.
  static constexpr nanoseconds kUnknownGap = std::chrono::milliseconds(10);
  static constexpr nanoseconds kLongestGap = std::chrono::milliseconds(50);
  static constexpr nanoseconds kGapStep = std::chrono::milliseconds(4);

  bool asks_for(const IncomingFrame& frame) const;
  SteadyTime quiet_at(const IncomingFrame& frame) const;
  void note_gap(const IncomingFrame& frame, uint32_t position, SteadyTime now);
  void end_gaps();
  void look_for_ends(std::span<IncomingFrame> frames, SteadyTime now);
  bool needs(std::span<const IncomingFrame> frames, uint64_t counter);

  const ReceiveSettings& settings_;
  const SsrcSelector& sender_;
  NackScheduler scheduler_;
  EnvelopeGaps envelopes_;
  // The latest packet that was sent in its turn, and the longest gap between two such packets of its frame.
  struct Latest {
    uint64_t frame = 0, sender = 0;  // IncomingFrame::id and sender
    uint32_t position = 0;           // in the order of sending: data, then parity
    SteadyTime arrived{};
    nanoseconds longest_gap{};
  };
  Latest latest_;
  nanoseconds usual_gap_ = kUnknownGap;
  std::optional<Sealer> sealer_;  // if there is a key
  std::array<std::byte, kMostBytes> request_{};
  std::array<std::byte, kMostBytes + kSealOverhead> sealed_{};
  std::array<std::byte, kMostTileRequestBytes> tiles_{};
  std::array<std::byte, kMostTileRequestBytes + kSealOverhead> sealed_tiles_{};
};

}  // namespace texcast::transport
