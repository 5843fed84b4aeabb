// source_element.h — texcastsrc: the pictures, and the sound, of a stream.
#pragma once

#include <gst/gst.h>

namespace texcast::gstreamer {

GType source_element_type();

}  // namespace texcast::gstreamer
