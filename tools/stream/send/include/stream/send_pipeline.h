// send_pipeline.h — decode, encode and send one stream, each on its own thread, in real time.
//
//     DecodeAhead ──frame──► run(): when it is due, to the device ──finished──► PacedSender
//
// The calling thread owns the encoder. A frame waits in one place only, so what is sent is never more than a frame
// or two old: where the device or the network cannot keep up, whole frames are dropped before they are encoded, and
// counted. A decoder that cannot keep up drops nothing; the stream then runs slow (see timeline.h). Captures alone
// (pcap:) are written as fast as it goes, every frame.
//
// A stream may become another while it runs (steering.h): its next encoder is built beside, then no frame is submitted
// until what is under way has left, and the next one is the new encoder's and, where that matters to the wire, a new
// sender's with the same StreamIdentity. A frame may be lost to that, not more. So it is when frames of the source
// change their size.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "live/destinations.h"
#include "stream/paced_sender.h"
#include "media/frame_source.h"
#include "stream/sound_sender.h"
#include "stream/steering.h"
#include "texcast/encoder.h"

namespace texcast::stream {

// How long the clock of a stream waits for an encoder whose kernels are still being built (Encoder::preparation). It
// starts when the kernels are built, or as soon as the processor has been measured to keep up without them, so that no
// frame is dropped. Live sources and captures never wait.
struct StartWait {
  nanoseconds at_most{};  // 0: the stream begins at once
  // Called at least ten times a second while it waits.
  std::function<void(nanoseconds waited, const EncoderPreparation&)> on_wait{};
  std::function<void()> on_end{};  // once, before the first frame
};

struct SendReport {
  nanoseconds waited{};  // before the first frame
  uint64_t frames_in = 0;
  uint64_t dropped = 0;       // the device or the network was too slow
  nanoseconds slipped{};      // how much the decoder was behind real time
  nanoseconds stood_still{};  // how much the stream is behind it because the program did not run
  double seconds = 0;
  SentStatus sent;
};

// Until the end of the source, `frames` of it, or `stop`. `on_tick` is called now and then (at least ten times a
// second) with the figures so far. `sound` (null: none) is told of each frame, and must outlive the call. Throws what
// any part throws.
SendReport send_stream(media::FrameSource& source, Encoder& encoder, Destinations& destinations,
                       const SendSettings& settings, const std::atomic<bool>& stop,
                       const std::function<void(const SendReport&)>& on_tick,
                       std::optional<int64_t> frames = std::nullopt, const Changeable* changeable = nullptr,
                       SoundSender* sound = nullptr, const StartWait& wait = {});

}  // namespace texcast::stream
