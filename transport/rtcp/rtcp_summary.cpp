#include "transport/rtcp_summary.h"

#include <algorithm>
#include <vector>

namespace texcast::transport {
namespace {

constexpr nanoseconds kForgottenAfter = std::chrono::seconds(30);

double chosen(std::vector<double>& values, ReportChoice choice) {
  if (values.empty()) return 0;
  if (choice == ReportChoice::worst) return *std::ranges::max_element(values);
  const auto median = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, median);
  return *median;
}

}  // namespace

RtcpSummary summary_of(std::span<const ReceiverOpinion> receivers, ReportChoice choice, SteadyTime now) {
  if (choice == ReportChoice::own) return {};
  std::vector<double> losses, jitters;
  for (const ReceiverOpinion& one : receivers) {
    if (one.left || now - one.heard > kForgottenAfter) continue;
    losses.push_back(one.loss);
    jitters.push_back(one.jitter_ms);
  }
  return {.loss = chosen(losses, choice), .jitter_ms = chosen(jitters, choice)};
}

}  // namespace texcast::transport
