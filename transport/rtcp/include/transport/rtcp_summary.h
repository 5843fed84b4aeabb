// rtcp_summary.h — the reports of a relay's receivers in one, for the relay's own report to the sender. No I/O.
#pragma once

#include <cstddef>
#include <span>

#include "texcast/frame_times.h"
#include "transport/rtcp_session.h"

namespace texcast::transport {

// The receivers whose losses and jitter a relay reports besides its own.
enum class ReportChoice {
  own,     // nobody's: the sender sees the path to the relay
  median,  // the median of its receivers, so that one bad receiver does not lower the bit rate of all
  worst,   // the worst of its receivers
};

// Sums up the receivers that have reported within half a minute and have not left. If their number is even, the better
// of the two medians counts.
RtcpSummary summary_of(std::span<const ReceiverOpinion> receivers, ReportChoice choice, SteadyTime now);

}  // namespace texcast::transport
