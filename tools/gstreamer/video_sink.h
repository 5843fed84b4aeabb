// video_sink.h — the sink inside of texcastsink that sends pictures.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "sink_core.h"

namespace texcast::gstreamer {

// A sink of the pipeline (GstVideoSink) whose pad is "sink". The caller owns a floating reference.
GstElement* make_video_sink(std::shared_ptr<SinkCore> core);

}  // namespace texcast::gstreamer
