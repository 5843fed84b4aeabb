// receiver.h — receives a stream for a source: the newest picture only, and what to tell the user.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "shown_formats.h"
#include "sound.h"
#include "texcast/format.h"
#include "texcast/stream_receiver.h"

namespace texcast::obs {

struct ReceiverOptions {
  StreamReceiverSettings stream{};
  std::string device{};  // OpenCL device that transcodes what the GPU does not take; empty: the best one
  bool operator==(const ReceiverOptions& other) const {
    return stream.listen == other.stream.listen && stream.name == other.stream.name &&
           stream.interface == other.stream.interface && stream.passphrase == other.stream.passphrase &&
           device == other.device;
  }
};

// One picture, whose memory lives as long as `memory` does.
struct Picture {
  TextureDesc desc{};
  std::span<const std::byte> blocks{};
  std::shared_ptr<const void> memory{};
  bool has_alpha = false;  // rgba8 only: decoded from blocks with alpha; rgba8 of a stream is opaque
};

// Opens the port on a worker, and again each second if that fails (another program has the port) or the stream breaks
// off. Pictures that are not taken before the next one comes are dropped: there is no queue. Textures that are not in
// `shown` are transcoded or decoded by an OpenCL device, or decoded by the CPU if there is none. Neither constructor
// nor destructor waits for the network or a device. Any thread.
class Receiver {
 public:
  // `on_sound` is called on threads of the stream, never after the destructor, which waits for a call that runs.
  Receiver(ReceiverOptions options, FormatSet shown, SoundSink on_sound);
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  std::shared_ptr<const Picture> take_newest();          // null: nothing new since the last call
  bool silent_for(std::chrono::nanoseconds time) const;  // no packets have arrived for this time, after some had
  std::string status() const;                            // one or more lines for a person

  class Shared;

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace texcast::obs
