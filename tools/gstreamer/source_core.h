// source_core.h — what the element texcastsrc shares with the sources inside of it.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "incoming_stream.h"
#include "texcast/stream_receiver.h"

namespace texcast::gstreamer {

// The properties, as they are set.
struct SourceSettings {
  StreamReceiverSettings stream{};
  std::string from{};  // hosts or networks, separated by commas
  std::string key_file{};
  std::string device{};  // that decodes; empty: the best GPU, if there is one
  nanoseconds latency = std::chrono::milliseconds(60);
  nanoseconds timeout = std::chrono::seconds(5);  // 0: none
};

// How many frames may wait. More than 120 a second are not expected to.
size_t most_waiting(nanoseconds latency);

// The settings of the receiver. Throws Error{input} if the key file cannot be read.
StreamReceiverSettings receiver_settings(const SourceSettings& settings);

// Throws Error{no_device} if there is no device of the name that is set.
void require_device(const SourceSettings& settings);

struct SourceCore {
  std::mutex mutex;  // of `settings`
  SourceSettings settings{};
  IncomingStream stream{};
  std::atomic<bool> is_by_device = false;  // whether a device has decoded the last picture

  SourceSettings snapshot() {
    const std::lock_guard lock(mutex);
    return settings;
  }
};

}  // namespace texcast::gstreamer
