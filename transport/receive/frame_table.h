// frame_table.h — the frames under way: found by number, begun, waited for, and which of them goes out next.
//
// Owns: a fixed set of places for frames, the memory that they have on loan, and the times by which they are given out.
// Invariants: at most kMostFilling frames fill at a time and at most one is given out; the others in use are finished
// and wait for next_out(). No two that wait have the same number. Frames go out by their number, and none that is over
// (FrameHistory) is in use but the one given out. A place that is free has no memory on loan.
//
// A frame that describes the stream as something else than the frames before it is doubted: it may be one forged or
// damaged packet. It is not given out, and ends no earlier frame, until a second frame describes the stream like it and
// the stream as it was has stopped; or, if no second one comes, until that has been silent for long. As soon as the
// stream goes on as it was, the doubted frame is dropped.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "frame_history.h"
#include "incoming_frame.h"
#include "payload_slots.h"
#include "request_sender.h"
#include "sender_follower.h"
#include "transport/frame_store.h"
#include "transport/receive_session.h"

namespace texcast::transport {

class FrameTable {
 public:
  // Frames that may be incomplete at a time; one more and the oldest is given out as it is.
  static constexpr int kMostFilling = 8;
  static constexpr int kPlaces = 2 * kMostFilling;

  FrameTable(const ReceiveSettings& settings, const SenderFollower& sender, const RequestSender& requests,
             FrameHistory& history, FrameStore& store, ReceiveCounters& counters)
      : settings_(settings),
        sender_(sender),
        requests_(requests),
        history_(history),
        store_(store),
        counters_(counters) {}

  std::span<IncomingFrame> frames() { return frames_; }
  std::span<const IncomingFrame> frames() const { return frames_; }
  // Of those that wait: by number; or one that fills, by time stamp.
  IncomingFrame* find(uint64_t order);
  IncomingFrame* find_time(uint32_t timestamp);
  // Where find() or begin() found the latest packet's frame; may be over by now.
  const IncomingFrame* recent() const { return recent_; }

  // The packet's frame, of which find() knows nothing. Where there is no place, the oldest has to go.
  IncomingFrame& begin(const MediaPacket& packet, FrameOrder::Place place, SteadyTime now, WallTime wall_now);
  // Frames just before a compact one, of which nothing has come, begin too where their packets can be asked for; the
  // sender keeps the last four (retransmit_store.h). Not before the first frame that was heard of.
  void begin_skipped(const IncomingFrame& after, SteadyTime now);
  // The first packet of one of those.
  void begin_late(IncomingFrame& frame, const MediaPacket& packet, WallTime wall_now);
  // Its place and its memory are free again.
  void forget(IncomingFrame& frame);
  // All that is not given out: none of it will be.
  void forget_waiting();
  // Every byte of it is there, or no more is waited for.
  void finish(IncomingFrame& frame, WallTime wall_now);
  // The end of the frame has come, so the rest of it comes soon or never.
  void note_end(IncomingFrame& frame, SteadyTime now);
  // A packet came of a frame whose end has come already: it is waited for from then on.
  void prolong(IncomingFrame& frame, SteadyTime now);

  // The frame to be given out now: the oldest, if it is finished or a later one is; but for one whose missing packets
  // have been asked for. nullptr: none.
  IncomingFrame* next_out(SteadyTime now, WallTime wall_now);
  void take_out(IncomingFrame& frame);  // it is given out
  // In the past where next_out() has something to do now.
  SteadyTime next_timeout() const { return finished_waiting_ ? finished_at_ : next_timeout_; }
  bool finished_waiting() const { return finished_waiting_; }

  // Memory for a tile, which begins. Where the frame has one tile, as far as that is known, it is the store's, and goes
  // out as it is; tiles that have to be put together first are in memory of the session's own.
  enum class Room : uint8_t {
    made,
    too_large,  // all frames under way together would take more than three of the largest may
    none,       // the store has none to spare; IncomingFrame::unbuffered says so from now on
  };
  [[nodiscard]] Room begin_tile(IncomingFrame& frame, size_t index, const PacketShape& shape);
  // The same for the payloads of a compact frame, which share memory of the session's own.
  void begin_payloads(IncomingFrame& frame, const PacketShape& shape);
  // Whether a frame may have so much parity. Memory of places that are free is given back for it where need be.
  bool make_room_for_parity(const IncomingFrame& frame, size_t bytes);

 private:
  using Phase = IncomingFrame::Phase;

  IncomingFrame& begin(FrameOrder::Place place, SteadyTime now, WallTime wall_now);
  IncomingFrame& free_place();
  IncomingFrame* oldest_out(SteadyTime now);
  enum class Verdict : uint8_t { open, forged, genuine };
  void settle_doubts(SteadyTime now);
  Verdict verdict_on(const IncomingFrame& frame) const;
  void judge_doubted();
  void believe_doubted(SteadyTime now);
  void expire(SteadyTime now, WallTime wall_now);
  void update_timeout();
  nanoseconds patience() const;      // a frame is given out so long after its first packet
  nanoseconds longest_wait() const;  // where its packets still come

  const ReceiveSettings& settings_;
  const SenderFollower& sender_;
  const RequestSender& requests_;
  FrameHistory& history_;
  FrameStore& store_;
  ReceiveCounters& counters_;
  HeapFrameStore own_store_;  // for tiles; before frames_, which have it on loan
  PayloadPages pages_{3 * settings_.max_frame_bytes};
  std::array<IncomingFrame, kPlaces> frames_;
  uint64_t frames_begun_ = 0;
  IncomingFrame* recent_ = nullptr;  // the next packet's frame is the same as a rule
  bool finished_waiting_ = false;
  SteadyTime finished_at_{};
  SteadyTime next_timeout_ = SteadyTime::max();
  SteadyTime doubts_until_ = SteadyTime::max();  // then the oldest doubted frame is believed; max: there is none
};

}  // namespace texcast::transport
