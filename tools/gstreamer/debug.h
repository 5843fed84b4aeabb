// debug.h — the debug category "texcast" of GST_DEBUG.
#pragma once

#include <gst/gst.h>

namespace texcast::gstreamer {

GstDebugCategory* debug_category();

// Passes the library's messages on to the category.
void connect_log();

}  // namespace texcast::gstreamer

#define GST_CAT_DEFAULT ::texcast::gstreamer::debug_category()
