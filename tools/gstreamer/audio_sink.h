// audio_sink.h — the sink inside of texcastsink that sends sound.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "sink_core.h"

namespace texcast::gstreamer {

// Caps of the sound that libtexcast takes. The caller owns them.
GstCaps* sound_caps();

// A sink of the pipeline (GstBaseSink) whose pad is "sink". The caller owns a floating reference.
GstElement* make_audio_sink(std::shared_ptr<SinkCore> core);

}  // namespace texcast::gstreamer
