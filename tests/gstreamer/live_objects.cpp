#include "live_objects.h"

#include <doctest/doctest.h>
#include <gst/gst.h>

#include <mutex>

#include "pipelines.h"

namespace texcast::test {
namespace {

struct Lines {
  std::mutex mutex;
  std::vector<std::string> lines;
};
Lines& alive() {
  static Lines lines;
  return lines;
}

void keep_object(GstDebugCategory*, GstDebugLevel, const gchar*, const gchar*, gint, GObject*, GstDebugMessage* message,
                 gpointer) {
  const std::string text = gst_debug_message_get(message);
  if (!text.starts_with("object-alive, ")) return;
  const std::lock_guard lock(alive().mutex);
  alive().lines.push_back(text);
}

// It counts as long as it lives, which is until the process ends.
GstTracer* leaks_tracer() {
  use_gstreamer();
  GstPluginFeature* feature = gst_registry_find_feature(gst_registry_get(), "leaks", GST_TYPE_TRACER_FACTORY);
  REQUIRE(feature != nullptr);
  GstPluginFeature* loaded = gst_plugin_feature_load(feature);
  REQUIRE(loaded != nullptr);
  auto* tracer = g_object_new(gst_tracer_factory_get_tracer_type(GST_TRACER_FACTORY(loaded)), nullptr);
  gst_object_unref(loaded);
  gst_object_unref(feature);
  return GST_TRACER(tracer);
}

}  // namespace

std::vector<std::string> live_objects() {
  static GstTracer* const tracer = leaks_tracer();
  {
    const std::lock_guard lock(alive().mutex);
    alive().lines.clear();
  }
  (gst_debug_remove_log_function)(gst_debug_log_default);
  (gst_debug_add_log_function)(keep_object, nullptr, nullptr);
  gst_debug_set_threshold_for_name("GST_TRACER", GST_LEVEL_TRACE);
  g_signal_emit_by_name(tracer, "log-live-objects");
  gst_debug_unset_threshold_for_name("GST_TRACER");
  (gst_debug_remove_log_function)(keep_object);
  const std::lock_guard lock(alive().mutex);
  return alive().lines;
}

}  // namespace texcast::test
