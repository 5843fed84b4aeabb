// slate_text.h — the text on the screen while a stream shows nothing new: the reason, for how long, and what to do. No
// threads, no clock.
#pragma once

#include <string>
#include <vector>

#include "texcast/frame_times.h"
#include "transport/receive_session.h"

namespace texcast::stream {

struct SlateFacts {
  std::string title{};                 // "rtp://:5004"
  std::vector<std::string> send_to{};  // URLs at which a sender reaches this machine
  uint16_t port = 0;                   // on which the stream is received; 0: unknown, or a capture
  bool live = true;                    // false: a capture
  bool had_frames = false;             // the stream has had frames
  nanoseconds quiet{};                 // since the last frame, or since listening began
  nanoseconds frame_time{};            // nominal, of the last frame; 0: unknown
  transport::ReceiveCounters since{};  // in the time of `quiet`
  uint64_t unsupported = 0;            // frames in that time that cannot be shown
  transport::Refused refusal{};        // of the last refused datagram
};

// Empty: there is nothing to say.
std::vector<std::string> slate_lines(const SlateFacts& facts);

std::string minutes_text(nanoseconds time);  // "0:12", "1:02:03"

// One line: why there is no picture, by the counters. `port`: see SlateFacts.
std::string arrival_advice(const transport::ReceiveCounters& since, uint64_t unsupported,
                           const transport::Refused& refusal, uint16_t port);

}  // namespace texcast::stream
