// send_pipeline.h — decode, encode and send one stream, each on its own thread, in real time.
//
//     DecodeAhead ──frame──► run(): when it is due, to the device ──finished──► PacedSender
//
// The calling thread owns the encoder. A frame waits in one place only, so what is sent is never more than a frame
// or two old: where the device or the network cannot keep up, whole frames are dropped before they are encoded, and
// counted. A decoder that cannot keep up drops nothing; the stream then runs slow (see timeline.h). Captures alone
// (pcap:) are written as fast as it goes, every frame.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "live/destinations.h"
#include "live/paced_sender.h"
#include "media/frame_source.h"
#include "texcast/encoder.h"

namespace texcast::stream {

struct SendReport {
  uint64_t frames_in = 0;
  uint64_t dropped = 0;   // the device or the network was too slow
  nanoseconds slipped{};  // how much the decoder was behind real time
  double seconds = 0;
  SentStatus sent;
};

// Until the end of the source, `frames` of it, or `stop`. `on_tick` is called now and then (at least ten times a
// second) with the figures so far. Throws what any part throws.
SendReport send_stream(media::FrameSource& source, Encoder& encoder, Destinations& destinations,
                       const SendSettings& settings, const std::atomic<bool>& stop,
                       const std::function<void(const SendReport&)>& on_tick,
                       std::optional<int64_t> frames = std::nullopt);

}  // namespace texcast::stream
