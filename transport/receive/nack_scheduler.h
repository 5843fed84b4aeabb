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

namespace texcast::transport {

// The NACK state of one frame. Its memory is reused from frame to frame.
struct FrameNacks {
  static constexpr SteadyTime kNever = SteadyTime::max();

  struct Hole {
    uint32_t packet = 0;
    uint32_t times = 0;  // number of requests for it
    SteadyTime asked{};  // time of the latest request
  };
  std::vector<Hole> holes{};      // missing packets, ascending; filled ones stay until the next look
  uint32_t scanned = 0;           // all packets below have arrived or are in `holes`
  uint32_t checkpoint = 0;        // packets below it will have been missing for long enough at the next look
  SteadyTime next_look = kNever;  // when NackScheduler::due() has something to do
  bool answered = false;          // the sender announced that it answers NACKs
  bool over = false;              // a later frame has begun: only retransmissions arrive from now on
  bool quiet = false;             // assumed to be over, because nothing has arrived for a while

  void begin() {
    holes.clear();
    scanned = checkpoint = 0;
    next_look = kNever;
    answered = over = quiet = false;
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

  // True while NACKs are answered, or it is too early to tell. If they are not (a firewall), waiting for answers is
  // pointless: then one packet a second is requested, to notice if that changes.
  bool expects_answers(SteadyTime now) const {
    return unanswered_ < kMostUnanswered || now - asking_since_ < kUnansweredFor;
  }
  nanoseconds round_trip() const { return round_trip_; }  // smoothed
  uint64_t requested() const { return requested_; }       // packets; one that is requested twice counts twice

 private:
  static constexpr nanoseconds kReorderTime = std::chrono::milliseconds(1);
  // NACKs are taken to be unanswered after that many requested packets in a row, and that much time, without an answer.
  static constexpr uint32_t kMostUnanswered = 16;
  static constexpr nanoseconds kUnansweredFor = std::chrono::milliseconds(500);
  static constexpr nanoseconds kProbeEvery = std::chrono::seconds(1);
  static constexpr double kPart = 0.25;       // of the packets that arrive
  static constexpr double kMostAtOnce = 256;  // packets

  void look_at_all(FrameNacks& frame, const FrameParity& parity, SteadyTime now);
  void find_holes(FrameNacks& frame, const FrameParity& parity);
  void count_wants(const FrameNacks& frame, const FrameParity& parity, SteadyTime now);
  bool may_ask(SteadyTime now);
  void put(uint32_t packet);
  void note_round_trip(nanoseconds sample);
  nanoseconds retry_after(uint32_t times) const;
  bool on_its_way(const FrameNacks::Hole& hole, SteadyTime now) const {
    return hole.times > 0 && now - hole.asked < retry_after(hole.times);
  }

  std::vector<PacketRange> ranges_;
  std::vector<int> wants_;  // packets to request, for each group
  double budget_ = 64;      // packets
  uint32_t unanswered_ = 0;
  SteadyTime asking_since_{};  // the first unanswered request
  SteadyTime probed_{};
  nanoseconds round_trip_ = std::chrono::milliseconds(10);
  nanoseconds deviation_ = std::chrono::milliseconds(2);
  bool measured_ = false;
  uint64_t requested_ = 0;
};

}  // namespace texcast::transport
