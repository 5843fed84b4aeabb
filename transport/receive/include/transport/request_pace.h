// request_pace.h — how often lost packets may be requested: the round trip, the time between two requests for the same
// packet, the share of the stream that may be requested, and whether anybody answers. No I/O; time is an argument.
#pragma once

#include <chrono>
#include <cstdint>

#include "texcast/frame_times.h"

namespace texcast::transport {

// Not thread-safe.
class RequestPace {
 public:
  // A packet of the stream arrived: a part of it more may be requested.
  void arrived();
  // True if one more packet may be requested now, which is charged.
  bool may_ask(SteadyTime now);
  void asked(SteadyTime now);  // that packet is requested
  // A packet that had been requested so many times, the latest time at `asked`, has arrived.
  void answered(SteadyTime asked, uint32_t times, SteadyTime now);

  // How long after the request number `times` the next one may follow.
  nanoseconds retry_after(uint32_t times) const;
  // True while requests are answered, or it is too early to tell. If they are not (a firewall), waiting for answers is
  // pointless: then one packet a second is requested, to notice if that changes.
  bool expects_answers(SteadyTime now) const {
    return unanswered_ < kMostUnanswered || now - asking_since_ < kUnansweredFor;
  }
  nanoseconds round_trip() const { return round_trip_; }  // smoothed
  uint64_t requested() const { return requested_; }       // packets; one that is requested twice counts twice

 private:
  // Requests are taken to be unanswered after that many requested packets in a row, and that much time, without an
  // answer.
  static constexpr uint32_t kMostUnanswered = 16;
  static constexpr nanoseconds kUnansweredFor = std::chrono::milliseconds(500);
  static constexpr nanoseconds kProbeEvery = std::chrono::seconds(1);
  static constexpr double kPart = 0.25;       // of the packets that arrive
  static constexpr double kMostAtOnce = 256;  // packets

  void note_round_trip(nanoseconds sample);

  double budget_ = 64;  // packets
  uint32_t unanswered_ = 0;
  SteadyTime asking_since_{};  // the first unanswered request
  SteadyTime probed_{};
  nanoseconds round_trip_ = std::chrono::milliseconds(10);
  nanoseconds deviation_ = std::chrono::milliseconds(2);
  bool measured_ = false;
  uint64_t requested_ = 0;
};

}  // namespace texcast::transport
