// nack_scheduler.h — decides which lost packets to request, and when. No I/O; time is an argument.
//
// A packet is requested when later packets have arrived and it has not for a moment (reordering), unless its group's
// parity can recover it. While the frame is waited for, it is requested again after each round trip without an answer.
// Requests are limited to a fraction of the packets that arrive, because retransmissions congest a full network
// further.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frame_parity.h"
#include "texcast/frame_times.h"
#include "transport/own_packet.h"
#include "transport/request_pace.h"

namespace texcast::transport {

// The NACK state of one frame. Its memory is reused from frame to frame.
struct FrameNacks {
  static constexpr SteadyTime kNever = SteadyTime::max();

  struct Hole {
    uint32_t packet = 0;
    uint32_t times = 0;  // number of requests for it
    SteadyTime asked{};  // time of the latest request
    SteadyTime found{};  // when it was found to be missing
  };
  std::vector<Hole> holes{};      // missing packets, ascending; filled ones stay until the next look
  uint32_t scanned = 0;           // all packets below have arrived or are in `holes`
  uint32_t checkpoint = 0;        // packets below it will have been missing for long enough at the next look
  SteadyTime next_look = kNever;  // when NackScheduler::due() has something to do
  bool answered = false;          // the sender announced that it answers NACKs, or a relay repairs the stream
  bool by_sender = false;         // the former
  bool over = false;              // a later frame has begun: only retransmissions arrive from now on
  bool relay_lacks = false;       // a relay has said that it lacks a packet of the frame: nothing is postponed
  bool quiet = false;             // assumed to be over, because nothing has arrived for a while

  void begin() {
    holes.clear();
    scanned = checkpoint = 0;
    next_look = kNever;
    answered = by_sender = over = quiet = relay_lacks = false;
  }
};

class NackScheduler {
 public:
  // A data or parity packet of the frame arrived, and `parity` is up to date.
  void arrived(FrameNacks& frame, const FrameParity& parity, bool asked_for, SteadyTime now);
  // A later frame has begun; or nothing has arrived for a while.
  void over(FrameNacks& frame, const FrameParity& parity, SteadyTime now);
  void quiet(FrameNacks& frame, const FrameParity& parity, SteadyTime now);
  // A packet filled a hole. Returns true if it had been requested. Measures the round trip.
  bool answered(FrameNacks& frame, uint32_t packet, SteadyTime now);
  // The packets to request now, ascending, at most RetransmitRequest::kMaxRanges; valid until the next call.
  std::span<const PacketRange> due(FrameNacks& frame, const FrameParity& parity, SteadyTime now);

  // True if packets are missing that parity is not expected to recover. Packets that may only be late count.
  bool wants(const FrameNacks& frame, const FrameParity& parity);
  // A relay may bring missing packets sooner (envelope_gaps.h): a packet is first requested so long after it was found
  // to be missing. 0: at once.
  void postpone(nanoseconds by) { postponed_by_ = by; }

  bool expects_answers(SteadyTime now) const { return pace_.expects_answers(now); }
  nanoseconds round_trip() const { return pace_.round_trip(); }  // smoothed
  uint64_t requested() const { return pace_.requested(); }       // packets; one that is requested twice counts twice

 private:
  static constexpr nanoseconds kReorderTime = std::chrono::milliseconds(1);

  void look_at_all(FrameNacks& frame, const FrameParity& parity, SteadyTime now);
  void find_holes(FrameNacks& frame, const FrameParity& parity, SteadyTime now);
  void count_wants(const FrameNacks& frame, const FrameParity& parity, SteadyTime now);
  void put(uint32_t packet);
  bool on_its_way(const FrameNacks::Hole& hole, SteadyTime now) const {
    return hole.times > 0 && now - hole.asked < pace_.retry_after(hole.times);
  }

  std::vector<PacketRange> ranges_;
  std::vector<int> wants_;  // packets to request, for each group
  RequestPace pace_;
  nanoseconds postponed_by_{};
};

}  // namespace texcast::transport
