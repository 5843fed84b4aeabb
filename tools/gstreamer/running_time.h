// running_time.h — the time of a pipeline.
#pragma once

#include <gst/gst.h>

#include <optional>

#include "texcast/frame_times.h"

namespace texcast::gstreamer {

// The running time of `element` by the pipeline's clock; nothing if it does not play. Any thread.
std::optional<nanoseconds> running_time(GstElement* element);

}  // namespace texcast::gstreamer
