// retransmit_requester.h — which packets to ask a sender for again, and when. Pure: time is an argument.
//
// A packet is asked for when later ones came and it did not within a moment (reordering), where the group's parity
// cannot make up for it; and once more when no answer came within a round trip, as long as the frame is waited for.
// What is asked for is a part of what arrives at most: where a network is too full, asking makes it fuller.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frame_parity.h"
#include "texcast/frame_times.h"
#include "transport/own_packet.h"

namespace texcast::transport {

// What is asked for of one frame. Its memory is kept from frame to frame.
struct FrameRequests {
  static constexpr SteadyTime kNever = SteadyTime::max();

  struct Hole {
    uint32_t packet = 0;
    uint32_t times = 0;  // asked for
    SteadyTime asked{};  // last time
  };
  std::vector<Hole> holes{};      // missing packets, ascending; filled ones until the next look
  uint32_t scanned = 0;           // packets below are there or in `holes`
  uint32_t checkpoint = 0;        // packets below will have been passed for long enough at the next look
  SteadyTime next_look = kNever;  // when RetransmitRequester::due() has something to do
  bool answered = false;          // its sender says that it answers
  bool over = false;              // a later frame has begun: nothing more comes unless it is asked for
  bool quiet = false;             // so it looks, because nothing has come for a while

  void begin() {
    holes.clear();
    scanned = checkpoint = 0;
    next_look = kNever;
    answered = over = quiet = false;
  }
};

class RetransmitRequester {
 public:
  // Something of the frame came, a packet or parity, of which `parity` knows already.
  void arrived(FrameRequests& frame, const FrameParity& parity, bool asked_for, SteadyTime now);
  // A later frame has begun; or nothing has come for a while.
  void over(FrameRequests& frame, const FrameParity& parity, SteadyTime now);
  void quiet(FrameRequests& frame, const FrameParity& parity, SteadyTime now);
  // A packet came that fills a hole: whether it had been asked for. Learns the round trip.
  bool answered(FrameRequests& frame, uint32_t packet, SteadyTime now);
  // What to ask for now, in ascending order, at most RetransmitRequest::kMaxRanges; valid until the next call.
  std::span<const PacketRange> due(FrameRequests& frame, const FrameParity& parity, SteadyTime now);

  // Answers come, or nothing speaks against it. Where they do not (a firewall), waiting for them is in vain: then no
  // more than one packet a second is asked for, to see whether that has changed.
  bool hopeful(SteadyTime now) const { return unanswered_ < kHopeless || now - asking_since_ < kHopeFor; }
  nanoseconds round_trip() const { return round_trip_; }  // smoothed
  uint64_t requested() const { return requested_; }       // packets, each as often as it was asked for

 private:
  static constexpr nanoseconds kReorderTime = std::chrono::milliseconds(1);
  // Packets asked for in vain in a row, and for how long.
  static constexpr uint32_t kHopeless = 16;
  static constexpr nanoseconds kHopeFor = std::chrono::milliseconds(500);
  static constexpr nanoseconds kProbeEvery = std::chrono::seconds(1);
  static constexpr double kPart = 0.25;       // of the packets that arrive
  static constexpr double kMostAtOnce = 256;  // packets

  void look_at_all(FrameRequests& frame, const FrameParity& parity, SteadyTime now);
  void find_holes(FrameRequests& frame, const FrameParity& parity);
  void count_wants(const FrameRequests& frame, const FrameParity& parity, SteadyTime now);
  bool may_ask(SteadyTime now);
  void put(uint32_t packet);
  void note_round_trip(nanoseconds sample);
  nanoseconds retry_after(uint32_t times) const;
  bool on_its_way(const FrameRequests::Hole& hole, SteadyTime now) const {
    return hole.times > 0 && now - hole.asked < retry_after(hole.times);
  }

  std::vector<PacketRange> ranges_;
  std::vector<int> wants_;  // packets to ask for, of each group
  double budget_ = 64;      // packets
  uint32_t unanswered_ = 0;
  SteadyTime asking_since_{};  // the first of those
  SteadyTime probed_{};
  nanoseconds round_trip_ = std::chrono::milliseconds(10);
  nanoseconds deviation_ = std::chrono::milliseconds(2);
  bool measured_ = false;
  uint64_t requested_ = 0;
};

}  // namespace texcast::transport
