// send_pipeline.h — decodes, encodes and sends one stream in real time, each step on its own thread.
//
//     DecodeAhead ──frame──► run(): when it is due, to the encoder ──texture──► TextureSender
//
// The calling thread drives the encoder (SendEngine). A frame waits in one place only, so that the stream is never more
// than a frame or two old: if the device or the network cannot keep up, complete frames are dropped before they are
// encoded, and counted. If the decoder cannot keep up nothing is dropped, and the stream runs slow (timeline.h). If
// captures (pcap:) are the only destinations, every frame is written, as fast as possible.
//
// A stream that goes to browsers only costs no encoding while none watches: frames are taken when they are due, and
// dropped. The first viewer gets the next one.
//
// A stream can be changed while it runs (steering.h, send_engine.h), and changes by itself if the frames of the source
// change their size. At most one frame is lost to a change.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "live/destinations.h"
#include "media/frame_source.h"
#include "stream/paced_sender.h"
#include "stream/sound_sender.h"
#include "stream/steering.h"
#include "texcast/encoder.h"

namespace texcast::stream {

// How long the stream's clock waits for an encoder whose kernels are still being built (Encoder::preparation), and for
// those of a device that codes. It starts when they are built and the first frame was rehearsed, for half a second at
// most, or as soon as the CPU is measured to keep up without them, so that no frame is dropped. Live sources and
// captures do not wait.
struct StartWait {
  nanoseconds at_most{};  // 0: the stream begins at once
  // Called at least ten times a second while it waits.
  std::function<void(nanoseconds waited)> on_wait{};
  std::function<void()> on_end{};  // once, before the first frame
};

struct SendReport {
  SteadyTime begun{};    // when the stream's clock started; unset: not yet
  nanoseconds waited{};  // before the first frame
  uint64_t frames_in = 0;
  uint64_t dropped = 0;       // because the device or the network was too slow
  uint64_t unwatched = 0;     // not encoded, because the stream goes to browsers only, and none watched
  nanoseconds slipped{};      // delay of the stream because of its decoder
  nanoseconds stood_still{};  // delay of the stream because the program did not run
  double seconds = 0;
  SentStatus sent;
};

// The same frames in another texture format: that of plan.choice(). They go to these destinations, which are viewers in
// browsers only, and are encoded only while somebody watches them.
struct VariantPlan {
  const StreamPlan& plan;
  Destinations& destinations;
};

// Runs until the end of the source, or of its first `frames`, or until `stop`. `on_tick` is called at least ten times a
// second with the figures so far. `sound` may be nullptr. Throws what any part throws.
SendReport send_stream(media::FrameSource& source, Encoder& encoder, Destinations& destinations,
                       const SendSettings& settings, const std::atomic<bool>& stop,
                       const std::function<void(const SendReport&)>& on_tick,
                       std::optional<int64_t> frames = std::nullopt, const Changeable* changeable = nullptr,
                       SoundSender* sound = nullptr, const StartWait& wait = {},
                       std::span<const VariantPlan> variants = {});

}  // namespace texcast::stream
