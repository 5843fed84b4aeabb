#include "running_time.h"

namespace texcast::gstreamer {

std::optional<nanoseconds> running_time(GstElement* element) {
  GST_OBJECT_LOCK(element);
  GstClock* clock = GST_STATE(element) == GST_STATE_PLAYING && GST_ELEMENT_CLOCK(element) != nullptr
                        ? GST_CLOCK(gst_object_ref(GST_ELEMENT_CLOCK(element)))
                        : nullptr;
  const GstClockTime base = element->base_time;
  GST_OBJECT_UNLOCK(element);
  if (clock == nullptr) return std::nullopt;
  const GstClockTime now = gst_clock_get_time(clock);
  gst_object_unref(clock);
  if (!GST_CLOCK_TIME_IS_VALID(now) || !GST_CLOCK_TIME_IS_VALID(base) || now < base) return std::nullopt;
  return nanoseconds(static_cast<int64_t>(now - base));
}

}  // namespace texcast::gstreamer
