// errors.h — failures of libtexcast as errors of an element.
#pragma once

#include <gst/gst.h>

#include <exception>
#include <memory>

namespace texcast::gstreamer {

enum class Direction { reads, writes };  // which of GStreamer's codes fits: whether a source or a sink failed

// The element whose part this is, which posts the messages of its parts.
GstElement* owner_of(gpointer part);

// A share in the element, for functions that outlive a change of its state.
std::shared_ptr<GstElement> share_of(gpointer element);

// Posts GST_ELEMENT_ERROR of `element` with the exception's message. Any thread.
void post_error(GstElement* element, Direction direction, const std::exception_ptr& failure);

}  // namespace texcast::gstreamer
