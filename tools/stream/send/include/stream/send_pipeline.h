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

#include "media/frame_source.h"
#include "stream/destinations.h"
#include "stream/paced_sender.h"
#include "texcast/encoder.h"
#include "transport/wire_choice.h"

namespace texcast::stream {

struct SendSettings {
  double fps = 60;  // of the stream header, and of files without a rate
  int mtu = 1500;
  double spread = 0.75;
  std::optional<double> rate_bits_per_s = std::nullopt;
  transport::WireChoice wire{};
  std::optional<int64_t> frames = std::nullopt;  // stop after so many of the input
};

struct SendReport {
  uint64_t frames_in = 0;
  uint64_t dropped = 0;   // the device or the network was too slow
  nanoseconds slipped{};  // how much the decoder was behind real time
  double seconds = 0;
  SentStatus sent;
};

// Until the end of the source, the frame limit, or `stop`. `on_tick` is called now and then (at least ten times a
// second) with the figures so far. Throws what any part throws.
SendReport send_stream(media::FrameSource& source, Encoder& encoder, Destinations& destinations,
                       const SendSettings& settings, const std::atomic<bool>& stop,
                       const std::function<void(const SendReport&)>& on_tick);

}  // namespace texcast::stream
