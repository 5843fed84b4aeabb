// slate_text.h — the words over a stream that shows nothing new: what is waited for, for how long, and what to do.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "texcast/frame_times.h"
#include "transport/receive_session.h"

namespace texcast::stream {

struct SlateFacts {
  std::string title{};                 // "rtp://:5004"
  std::vector<std::string> send_to{};  // URLs at which a sender reaches this machine
  bool live = true;                    // not a capture
  bool had_frames = false;             // of this stream, at any time
  nanoseconds quiet{};                 // since the last frame came, or since listening began
  nanoseconds frame_time{};            // nominal, of the last frame; 0: not known
  transport::ReceiveCounters since{};  // what came since then
  uint64_t unsupported = 0;            // frames that came since then and that we cannot show
  transport::Refused refusal{};        // of the last datagram that was refused
};

// Empty: nothing is wrong.
std::vector<std::string> slate_lines(const SlateFacts& facts);

// One line: what keeps the picture away, of what the counters tell.
std::string arrival_advice(const transport::ReceiveCounters& since, uint64_t unsupported,
                           const transport::Refused& refusal);

}  // namespace texcast::stream
