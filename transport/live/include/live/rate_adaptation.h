// rate_adaptation.h — how much a way takes, between two rates, by what its receivers say: less at once where packets
// get lost or take longer, more slowly where nothing is wrong, and as it is in between. Pure: time is an argument.
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

// What is known of a stream, since its beginning.
struct RateSigns {
  uint64_t packets = 0;           // that have left, with parity
  uint64_t again = 0;             // that were sent again because receivers asked, to all of them together
  uint64_t line_bytes = 0;        // that have left, of frames
  uint64_t again_line_bytes = 0;  // and of packets sent again
  size_t destinations = 1;
  bool to_group = false;     // a destination is a group, of which anybody may say to be a member
  bool hears_losses = true;  // receivers may ask for packets: where none does, none was missing
  std::span<const transport::ReceiverOpinion> receivers{};
};

// Not thread-safe. Requests are heard within a round trip, reports every few seconds. Of unicast destinations the worst
// receiver counts. In a group each host has one voice and the median counts: a single member, broken or forged, does
// not take the rate of all others down.
class RateAdaptation {
 public:
  // Begins between the two: as many times the least as the most is times that.
  RateAdaptation(double least_bits_per_s, double most_bits_per_s);
  double bits_per_s() const { return rate_; }
  // Now and then, as often as there are frames; whether the rate is another now.
  bool look(SteadyTime now, const RateSigns& signs);

  static constexpr double kMuchLoss = 0.03, kSomeLoss = 0.01;  // of the packets: less; not more
  static constexpr double kLeastLess = 0.85, kMostLess = 0.5;  // what the rate is multiplied by
  // By how much a round trip is longer than the shortest of late: less; not more.
  static constexpr nanoseconds kMuchLonger = std::chrono::milliseconds(30), kLonger = std::chrono::milliseconds(12);
  static constexpr double kMoreJitter = 3;                       // than the least of late, and kLonger: not more
  static constexpr double kClimb = 0.08, kFirstClimb = 0.25;     // a second; before anything was wrong
  static constexpr nanoseconds kCalm = std::chrono::seconds(2);  // that pass without a fault before it climbs
  static constexpr double kUsed = 0.5;                           // of the rate: what is not used proves nothing

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
    Finding last{};  // of its last report; fine once the rate was lowered since
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
  std::vector<std::pair<std::string_view, Finding>> voices_;  // of hosts; kept for its memory
  std::optional<SteadyTime> looked_{}, window_begun_{}, use_begun_{};
  RateSigns window_{}, use_{};
  bool used_ = false;
  SteadyTime fault_{}, less_{};  // the last ones
  bool had_fault_ = false;
};

}  // namespace texcast::stream
