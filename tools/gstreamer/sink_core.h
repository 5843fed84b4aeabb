// sink_core.h — what the element texcastsink shares with the sinks inside of it.
#pragma once

#include <gst/gst.h>

#include <mutex>
#include <string>
#include <vector>

#include "outgoing_stream.h"
#include "texcast/encoder.h"
#include "texcast/stream_sender.h"

namespace texcast::gstreamer {

// The properties, as they are set. They count for streams that begin later.
struct SinkSettings {
  std::string destination{};  // several are separated by commas
  std::string key_file{};
  StreamSenderSettings stream{.fps = 0};  // fps 0: by the caps
  EncoderSettings encoder{};
};

// The destinations of the property, as the library takes them: with "rtp://" in front.
std::vector<std::string> destinations_of(const std::string& property);

// The settings of a sender of frames in `format`. `caps_fps`: by the caps; 0 if they do not say. Throws Error{input}
// if the key file cannot be read.
struct SenderPlan {
  StreamSenderSettings stream;
  EncoderSettings encoder;
};
SenderPlan plan_of(const SinkSettings& settings, const FrameFormat& format, double caps_fps);

struct SinkCore {
  std::mutex mutex;  // of `settings`
  SinkSettings settings{};
  OutgoingStream stream{};
};

}  // namespace texcast::gstreamer
