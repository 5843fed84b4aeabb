// outage.h — messages on the bus about streams that come and go.
#pragma once

#include <gst/gst.h>

#include "texcast/format.h"
#include "texcast/stream_receiver.h"

namespace texcast::gstreamer {

// A warning, and the element message "texcast-timeout" with fields for programs.
void post_timeout(GstElement* element, const std::string& listen, nanoseconds timeout,
                  const StreamReceiverStatus& status);

// The element message "texcast-stream": a stream begins or is described anew.
void post_stream(GstElement* element, const TextureDesc& desc, double fps, const StreamReceiverStatus& status);

}  // namespace texcast::gstreamer
