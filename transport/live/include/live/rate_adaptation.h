// rate_adaptation.h — adapts the bit rate to the available bandwidth, within a range, by receivers' feedback: it falls
// at once when packets are lost or delayed, rises slowly while nothing is wrong, and stays otherwise. Time is an
// argument.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "texcast/frame_times.h"
#include "transport/rtcp_session.h"

namespace texcast::stream {

// The feedback, and counts since the beginning of the stream.
struct RateSigns {
  uint64_t packets = 0;           // sent, with parity
  uint64_t again = 0;             // sent again after NACKs, to all receivers together
  uint64_t line_bytes = 0;        // bytes on the line, of frames
  uint64_t again_line_bytes = 0;  // and of packets sent again
  size_t destinations = 1;
  bool to_group = false;     // a destination is a group, of which anybody can claim to be a member
  bool hears_losses = true;  // receivers can send NACKs, so that none means no loss
  std::span<const transport::ReceiverOpinion> receivers{};
};

// Not thread-safe. NACKs arrive within a round trip, RTCP reports every few seconds. With unicast destinations the
// worst receiver counts. In a group each host has one vote and the median counts, so that a single member, broken or
// forged, does not lower the rate for all others.
class RateAdaptation {
 public:
  // Starts at the geometric mean of the two.
  RateAdaptation(double least_bits_per_s, double most_bits_per_s);
  double bits_per_s() const { return rate_; }
  // To be called for each frame. Returns whether the rate has changed.
  bool look(SteadyTime now, const RateSigns& signs);

  static constexpr double kMuchLoss = 0.03, kSomeLoss = 0.01;  // loss fractions: the rate falls; it does not rise
  static constexpr double kLeastLess = 0.85, kMostLess = 0.5;  // factors by which the rate falls
  // Increase of the round trip time over the recent minimum: the rate falls; it does not rise.
  static constexpr nanoseconds kMuchLonger = std::chrono::milliseconds(30), kLonger = std::chrono::milliseconds(12);
  static constexpr double kMoreJitter = 3;  // times the recent minimum, plus kLonger: the rate does not rise
  static constexpr double kClimb = 0.08, kFirstClimb = 0.25;     // rise per second; before the first fault
  static constexpr nanoseconds kCalm = std::chrono::seconds(2);  // without a fault before the rate rises
  static constexpr double kUsed =
      0.5;  // part of the rate that must be used: otherwise the lack of faults proves nothing

 private:
  enum class Verdict { fine, not_more, less };
  struct Finding {
    Verdict verdict = Verdict::fine;
    double factor = 1;
    bool is_better_than(const Finding& other) const {
      return verdict != other.verdict ? verdict < other.verdict : factor > other.factor;
    }
  };
  struct Receiver {
    uint32_t ssrc = 0;
    std::string address{};
    SteadyTime heard{};
    double least_trip_ms = 0, least_jitter_ms = 0;
    Finding last{};  // of its last report; reset when the rate falls
  };
  static Finding by_loss(double loss);
  Finding by_requests(SteadyTime now, const RateSigns& signs);
  Finding by_report(const transport::ReceiverOpinion& report, Receiver& receiver);
  Receiver& receiver_of(const transport::ReceiverOpinion& report);
  Finding by_reports(SteadyTime now, const RateSigns& signs);
  Finding median_of_hosts(SteadyTime now);
  bool is_used(SteadyTime now, const RateSigns& signs);

  const double least_, most_;
  double rate_;
  std::vector<Receiver> receivers_;
  std::vector<std::pair<std::string_view, Finding>> voices_;  // votes of the hosts; kept for its memory
  std::optional<SteadyTime> looked_{}, window_begun_{}, use_begun_{};
  RateSigns window_{}, use_{};
  bool used_ = false;
  SteadyTime fault_{}, less_{};  // the latest fault; when the rate fell last
  bool had_fault_ = false;
};

}  // namespace texcast::stream
