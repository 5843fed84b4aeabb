// sender.h — sends frames as a stream, on a worker: for the filter and the output.
//
// Example:
//     if (FrameLease frame = sender.lend(format)) {    // empty: not ready, or still busy with the frames before
//       fill(frame);
//       sender.submit(std::move(frame), pts);
//     }
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "texcast/frame_pool.h"
#include "texcast/stream_sender.h"

namespace texcast::obs {

struct SendOptions {
  StreamSenderSettings stream{};  // its quality is also the encoder's
  TextureFormat format = TextureFormat::bc1;
  std::string device{};
  std::string preset{};  // as texcast send --for; not empty: of format, compact, crf and bitrate the preset's
};
bool operator==(const SendOptions& a, const SendOptions& b);

// Frames of another size or format than those before begin the stream again. A failure, such as a host that does not
// resolve, is reported by status() and in the log, and the stream is tried again every two seconds. No call waits for
// the device or the network, nor do constructor and destructor. Any thread.
class Sender {
 public:
  Sender(SendOptions options, double fps);
  ~Sender();
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  FrameLease lend(const FrameFormat& format);
  // The newest frame replaces one that still waits. `pts` must rise.
  void submit(FrameLease frame, nanoseconds pts);
  // Interleaved samples of StreamSenderSettings::sound, whose first one belongs to a picture with this pts.
  void submit_sound(std::span<const float> samples, nanoseconds pts);

  std::string status() const;  // one or more lines for a person
  uint64_t dropped() const;    // frames for which there was no time

  class Shared;

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace texcast::obs
