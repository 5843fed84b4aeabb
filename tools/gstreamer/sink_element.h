// sink_element.h — texcastsink: sends the pictures, and the sound, of a pipeline.
#pragma once

#include <gst/gst.h>

namespace texcast::gstreamer {

GType sink_element_type();

}  // namespace texcast::gstreamer
