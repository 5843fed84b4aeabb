// relay_reading.h — how a stream that passes is read: of texcast relay (stream_relay.h) and of texcast serve
// (stream_gateway.h). Values and functions only.
#pragma once

#include <chrono>

#include "live/datagrams.h"
#include "transport/receive_session.h"

namespace texcast::stream {

inline constexpr nanoseconds kLongestRead = std::chrono::milliseconds(100);
inline constexpr nanoseconds kAfterTheEnd = std::chrono::seconds(10);  // by then every incomplete frame has timed out

// With NACKs, unless the source is a capture, whose sender does not answer.
inline transport::ReceiveSettings with_requests(transport::ReceiveSettings settings, const DatagramSource& source) {
  settings.request_lost = source.live();
  return settings;
}

}  // namespace texcast::stream
