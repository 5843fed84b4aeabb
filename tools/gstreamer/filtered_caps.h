// filtered_caps.h — the answer of a source to a query of its caps.
#pragma once

#include <gst/gst.h>

namespace texcast::gstreamer {

// Of `caps`, which it takes, those that `filter` allows, in the order of `filter`; null allows all. The caller owns the
// result.
inline GstCaps* filtered(GstCaps* caps, GstCaps* filter) {
  if (filter == nullptr) return caps;
  GstCaps* both = gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(caps);
  return both;
}

}  // namespace texcast::gstreamer
