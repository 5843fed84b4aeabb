#include "live/rate_adaptation.h"

#include <algorithm>
#include <cmath>

#include "base/ensure.h"

namespace texcast::stream {
namespace {

using namespace std::chrono_literals;

// The window in which NACKs are counted, and its least packets: one lost packet of ten is not a loss fraction of 10 %.
constexpr nanoseconds kWindow = 100ms;
constexpr uint64_t kLeastPackets = 100;
// Up to this many packets may just be late, and the NACK premature.
constexpr uint64_t kFew = 4;
// Packets lost within this time after the rate fell had left before.
constexpr nanoseconds kOnItsWay = 400ms;
constexpr nanoseconds kUseWindow = 1s;
// The recent minimum of the round trip time grows by this factor with each report, as network paths change.
constexpr double kForget = 1.02;
constexpr double kLeastTripMs = 0.2;
constexpr size_t kMostReceivers = transport::RtcpSender::kMaxReceivers;

// A group member without a report for this time has left: five times the longest RTCP interval of a small group.
constexpr nanoseconds kGone = 30s;

std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }

double in_ms(nanoseconds time) { return in_seconds(time) * 1000; }

}  // namespace

RateAdaptation::RateAdaptation(double least_bits_per_s, double most_bits_per_s)
    : least_(least_bits_per_s), most_(most_bits_per_s), rate_(std::sqrt(least_bits_per_s * most_bits_per_s)) {
  ENSURE(least_ > 0 && least_ <= most_);
}

RateAdaptation::Finding RateAdaptation::by_loss(double loss) {
  if (loss < kSomeLoss) return {};
  if (loss < kMuchLoss) return {.verdict = Verdict::not_more};
  return {.verdict = Verdict::less, .factor = std::clamp(1 - 2 * loss, kMostLess, kLeastLess)};
}

RateAdaptation::Finding RateAdaptation::by_requests(SteadyTime now, const RateSigns& signs) {
  if (!window_begun_) window_begun_ = now, window_ = signs;
  const uint64_t packets = signs.packets - window_.packets, again = signs.again - window_.again;
  if (now - *window_begun_ < kWindow || packets < kLeastPackets) return {};
  window_begun_ = now;
  window_ = signs;
  Finding finding =
      by_loss(static_cast<double>(again) / static_cast<double>(packets * std::max<size_t>(signs.destinations, 1)));
  if (again < kFew && finding.verdict == Verdict::less) finding = {.verdict = Verdict::not_more};
  return finding;
}

RateAdaptation::Receiver& RateAdaptation::receiver_of(const transport::ReceiverOpinion& report) {
  const auto known = std::ranges::find_if(
      receivers_, [&](const Receiver& r) { return r.ssrc == report.ssrc && r.address == report.address; });
  if (known != receivers_.end()) return *known;
  if (receivers_.size() == kMostReceivers) receivers_.erase(std::ranges::min_element(receivers_, {}, &Receiver::heard));
  return receivers_.emplace_back(Receiver{.ssrc = report.ssrc, .address = report.address});
}

// The finding of the reports since the last call; fine if there is none.
RateAdaptation::Finding RateAdaptation::by_reports(SteadyTime now, const RateSigns& signs) {
  Finding worst;
  bool any = false;
  for (const transport::ReceiverOpinion& report : signs.receivers) {
    Receiver& receiver = receiver_of(report);
    if (report.left || report.heard == receiver.heard) continue;
    receiver.last = by_report(report, receiver);
    any = true;
    worst.verdict = std::max(worst.verdict, receiver.last.verdict);
    worst.factor = std::min(worst.factor, receiver.last.factor);
  }
  return signs.to_group && any ? median_of_hosts(now) : worst;
}

// Each host votes with its worst report. If the number of hosts is even, the better of the two medians counts.
RateAdaptation::Finding RateAdaptation::median_of_hosts(SteadyTime now) {
  voices_.clear();
  for (const Receiver& receiver : receivers_) {
    if (now - receiver.heard > kGone) continue;
    const std::string_view host = host_of(receiver.address);
    const auto known = std::ranges::find(voices_, host, &std::pair<std::string_view, Finding>::first);
    if (known == voices_.end())
      voices_.emplace_back(host, receiver.last);
    else if (known->second.is_better_than(receiver.last))
      known->second = receiver.last;
  }
  const auto median = voices_.begin() + static_cast<std::ptrdiff_t>((voices_.size() - 1) / 2);
  std::ranges::nth_element(voices_, median,
                           [](const auto& a, const auto& b) { return a.second.is_better_than(b.second); });
  return median->second;
}

RateAdaptation::Finding RateAdaptation::by_report(const transport::ReceiverOpinion& report, Receiver& receiver) {
  const bool is_first = receiver.heard == SteadyTime{};
  // Loss to which the rate has already reacted, by NACKs, does not count twice.
  Finding finding = !is_first && less_ > receiver.heard ? Finding{} : by_loss(report.loss);
  receiver.heard = report.heard;
  const auto worse = [&](Verdict verdict) {
    if (verdict <= finding.verdict) return;
    finding.verdict = verdict;
    if (verdict == Verdict::less) finding.factor = kLeastLess;
  };
  double& jitter = receiver.least_jitter_ms;
  jitter = is_first ? report.jitter_ms : std::min(jitter * kForget, report.jitter_ms);
  if (report.jitter_ms > kMoreJitter * jitter + in_ms(kLonger)) worse(Verdict::not_more);
  if (!report.round_trip_ms) return finding;
  double& trip = receiver.least_trip_ms;
  const double now = std::max(*report.round_trip_ms, kLeastTripMs);
  trip = trip == 0 ? now : std::min(trip * kForget, now);
  if (now > trip + in_ms(kMuchLonger))
    worse(Verdict::less);
  else if (now > trip + in_ms(kLonger))
    worse(Verdict::not_more);
  return finding;
}

bool RateAdaptation::is_used(SteadyTime now, const RateSigns& signs) {
  if (!use_begun_) use_begun_ = now, use_ = signs;
  const double seconds = in_seconds(now - *use_begun_);
  if (now - *use_begun_ < kUseWindow) return used_;
  used_ = static_cast<double>(signs.line_bytes - use_.line_bytes) * 8 >= kUsed * rate_ * seconds;
  use_begun_ = now;
  use_ = signs;
  return used_;
}

bool RateAdaptation::look(SteadyTime now, const RateSigns& signs) {
  const double before = rate_;
  const double seconds = looked_ ? std::min(in_seconds(now - *looked_), 1.0) : 0;
  if (!looked_) fault_ = less_ = now - kCalm;
  looked_ = now;
  Finding worst = by_requests(now, signs);
  const auto add = [&](const Finding& finding) {
    worst.verdict = std::max(worst.verdict, finding.verdict);
    worst.factor = std::min(worst.factor, finding.factor);
  };
  add(by_reports(now, signs));
  const bool used = is_used(now, signs);
  if (worst.verdict != Verdict::fine) {
    fault_ = now;
    had_fault_ = true;
    if (worst.verdict == Verdict::less && now - less_ >= kOnItsWay) {
      rate_ = std::max(least_, rate_ * worst.factor);
      less_ = now;
      for (Receiver& receiver : receivers_) receiver.last = {};
    }
    return rate_ != before;
  }
  const bool is_heard = signs.hears_losses || !signs.receivers.empty();
  if (used && is_heard && now - fault_ >= kCalm)
    rate_ = std::min(most_, rate_ * std::pow(1 + (had_fault_ ? kClimb : kFirstClimb), seconds));
  return rate_ != before;
}

}  // namespace texcast::stream
