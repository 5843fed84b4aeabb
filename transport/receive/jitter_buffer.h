// jitter_buffer.h — the frames in progress: finds and begins them by number, sets their deadlines, and puts them into
// order for delivery.
//
// Owns: a fixed set of frames, the memory that they have on loan, and their deadlines.
// Invariants: at most kMostFilling frames are filling and at most one is delivered; the others in use are finished and
// wait for next_out(). No two waiting frames have the same number. Frames are delivered in the order of their numbers.
// No finished frame (FrameHistory) is in use except the delivered one. A free frame has no memory on loan.
//
// A frame that describes the stream differently from the frames before it is suspect: it may be one forged or damaged
// packet. It is not delivered, and ends no earlier frame, until a second frame agrees with it and the stream as it was
// has stopped; or, without a second frame, until the stream has been silent for long. If the stream continues as it
// was, the suspect frame is dropped.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "frame_history.h"
#include "incoming_frame.h"
#include "nack_sender.h"
#include "payload_slots.h"
#include "ssrc_selector.h"
#include "transport/frame_store.h"
#include "transport/receive_session.h"

namespace texcast::transport {

class JitterBuffer {
 public:
  // Frames that may be incomplete at a time. With one more, the oldest is delivered as it is.
  static constexpr int kMostFilling = 8;
  static constexpr int kPlaces = 2 * kMostFilling;

  JitterBuffer(const ReceiveSettings& settings, const SsrcSelector& sender, const NackSender& nacks,
               FrameHistory& history, FrameStore& store, ReceiveCounters& counters)
      : settings_(settings), sender_(sender), nacks_(nacks), history_(history), store_(store), counters_(counters) {}

  std::span<IncomingFrame> frames() { return frames_; }
  std::span<const IncomingFrame> frames() const { return frames_; }
  // A waiting frame by number, and a filling frame by time stamp.
  IncomingFrame* find(uint64_t order);
  IncomingFrame* find_time(uint32_t timestamp);
  // The frame that was delivered last, if it has that number.
  const IncomingFrame* find_delivered(uint64_t order) const;
  // The latest packet's frame, as found by find() or begin(). It may have finished since.
  const IncomingFrame* recent() const { return recent_; }

  // Begins the packet's frame, which find() did not find. If no place is free, the oldest frame is finished or dropped.
  IncomingFrame& begin(const MediaPacket& packet, FrameOrder::Place place, SteadyTime now, WallTime wall_now);
  // Also begins frames just before a coded one of which nothing has arrived, if their packets can be requested. The
  // sender keeps the last four frames (retransmit_store.h). Frames before the first one that was seen are not
  // requested.
  void begin_skipped(const IncomingFrame& after, SteadyTime now);
  // The first packet of such a frame.
  void begin_late(IncomingFrame& frame, const MediaPacket& packet, WallTime wall_now);
  // Frees its place and its memory.
  void forget(IncomingFrame& frame);
  // Drops every frame that has not been delivered.
  void forget_waiting();
  // Every byte of it is there, or no more packets are waited for.
  void finish(IncomingFrame& frame, WallTime wall_now);
  // The frame's end has arrived, so its missing packets arrive soon or never.
  void note_end(IncomingFrame& frame, SteadyTime now);
  // A packet arrived after the frame's end: the wait starts again.
  void prolong(IncomingFrame& frame, SteadyTime now);

  // The frame to be delivered now: the oldest one, if it or a later one is finished, unless its missing packets were
  // requested and may still arrive. nullptr: none.
  IncomingFrame* next_out(SteadyTime now, WallTime wall_now);
  void take_out(IncomingFrame& frame);  // marks it as delivered
  // In the past if next_out() has something to do now.
  SteadyTime next_timeout() const { return finished_waiting_ ? finished_at_ : next_timeout_; }
  bool finished_waiting() const { return finished_waiting_; }

  // Gets memory for a tile. A frame's only tile, as far as is known, is received in the store's memory and delivered in
  // place. Tiles that must be composed first are received in memory of the session's own.
  enum class Room : uint8_t {
    made,
    too_large,  // all frames in progress together would exceed three of the largest allowed
    none,       // the store has no free memory; sets IncomingFrame::unbuffered
  };
  [[nodiscard]] Room begin_tile(IncomingFrame& frame, size_t index, const PacketShape& shape);
  // The same for the payloads of a coded frame, which share memory of the session's own.
  void begin_payloads(IncomingFrame& frame, const PacketShape& shape);
  // True if the frame may store that much parity. May free parity memory of free frames.
  bool make_room_for_parity(const IncomingFrame& frame, size_t bytes);

 private:
  using Phase = IncomingFrame::Phase;

  IncomingFrame& begin(FrameOrder::Place place, SteadyTime now, WallTime wall_now);
  IncomingFrame& free_place();
  IncomingFrame* oldest_out(SteadyTime now);
  enum class Verdict : uint8_t { open, forged, genuine };
  void review_suspects(SteadyTime now);
  Verdict verdict_on(const IncomingFrame& frame) const;
  void judge_suspects();
  void accept_suspect(SteadyTime now);
  void expire(SteadyTime now, WallTime wall_now);
  void update_timeout();
  nanoseconds usual_wait() const;    // from a frame's first packet to its delivery
  nanoseconds longest_wait() const;  // the same while its packets keep arriving

  const ReceiveSettings& settings_;
  const SsrcSelector& sender_;
  const NackSender& nacks_;
  FrameHistory& history_;
  FrameStore& store_;
  ReceiveCounters& counters_;
  HeapFrameStore own_store_;  // for tiles; declared before frames_, which borrow from it
  PayloadPages pages_{3 * settings_.max_frame_bytes};
  std::array<IncomingFrame, kPlaces> frames_;
  uint64_t frames_begun_ = 0;
  IncomingFrame* recent_ = nullptr;  // usually the next packet's frame too
  bool finished_waiting_ = false;
  SteadyTime finished_at_{};
  SteadyTime next_timeout_ = SteadyTime::max();
  SteadyTime suspects_until_ = SteadyTime::max();  // when the oldest suspect frame is accepted; max: there is none
};

}  // namespace texcast::transport
