// errors.h — failures of libtexcast as errors of an element.
#pragma once

#include <gst/gst.h>

#include <exception>

namespace texcast::gstreamer {

enum class Direction { reads, writes };  // which of GStreamer's codes fits: whether a source or a sink failed

// The element whose part this is, which posts the messages of its parts.
GstElement* owner_of(gpointer part);

// Posts GST_ELEMENT_ERROR of `element` with the exception's message. Any thread.
void post_error(GstElement* element, Direction direction, const std::exception_ptr& failure);

}  // namespace texcast::gstreamer
