#include "sink_element.h"

#include <memory>

#include "audio_sink.h"
#include "debug.h"
#include "sink_core.h"
#include "sink_properties.h"
#include "video_formats.h"
#include "video_sink.h"

namespace texcast::gstreamer {
namespace {

struct GstTexcastSink {
  GstBin parent;
  std::shared_ptr<SinkCore>* core;
  gboolean is_synced;
};
struct GstTexcastSinkClass {
  GstBinClass parent_class;
};
G_DEFINE_TYPE(GstTexcastSink, gst_texcast_sink, GST_TYPE_BIN)

enum : guint { kSync = 100 };

const std::shared_ptr<SinkCore>& sink_core(gpointer sink) { return *static_cast<GstTexcastSink*>(sink)->core; }

// Calls `use` with each of the sinks inside.
template <typename Use>
void for_each_child(gpointer sink, Use&& use) {
  for (const char* name : {"video-sink", "audio-sink"})
    if (GstElement* child = gst_bin_get_by_name(GST_BIN(sink), name)) {
      use(child);
      gst_object_unref(child);
    }
}

void sink_set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  if (id == kSync) {
    const gboolean sync = g_value_get_boolean(value);
    static_cast<GstTexcastSink*>(static_cast<gpointer>(object))->is_synced = sync;
    for_each_child(object, [sync](GstElement* child) { gst_base_sink_set_sync(GST_BASE_SINK(child), sync); });
  } else if (!set_sink_property(*sink_core(object), id, value)) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

void sink_get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  if (id == kSync)
    g_value_set_boolean(value, static_cast<GstTexcastSink*>(static_cast<gpointer>(object))->is_synced);
  else if (!get_sink_property(*sink_core(object), id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

bool has_destination(SinkCore& core) {
  return core.with_settings([](const SinkSettings& s) { return !destinations_of(s.destination).empty(); });
}

GstStateChangeReturn sink_change_state(GstElement* element, GstStateChange change) {
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED && !has_destination(*sink_core(element))) {
    GST_ELEMENT_ERROR(element, RESOURCE, SETTINGS, ("a stream needs a destination; set the property 'destination'"),
                      (nullptr));
    return GST_STATE_CHANGE_FAILURE;
  }
  return GST_ELEMENT_CLASS(gst_texcast_sink_parent_class)->change_state(element, change);
}

void sink_finalize(GObject* object) {
  delete static_cast<GstTexcastSink*>(static_cast<gpointer>(object))->core;
  G_OBJECT_CLASS(gst_texcast_sink_parent_class)->finalize(object);
}

void add_video(GstTexcastSink* sink) {
  GstElement* video = make_video_sink(*sink->core);
  gst_bin_add(GST_BIN(sink), video);
  GstPad* target = gst_element_get_static_pad(video, "sink");
  GstPadTemplate* pads = gst_element_class_get_pad_template(GST_ELEMENT_GET_CLASS(sink), "video");
  gst_element_add_pad(GST_ELEMENT(sink), gst_ghost_pad_new_from_template("video", target, pads));
  gst_object_unref(target);
}

// The pad "audio". Streams that begin later have its sound.
GstPad* sink_request_pad(GstElement* element, GstPadTemplate* pads, const gchar*, const GstCaps*) {
  GstElement* before = gst_bin_get_by_name(GST_BIN(element), "audio-sink");
  if (before != nullptr) {
    gst_object_unref(before);
    return nullptr;
  }
  GstElement* audio = make_audio_sink(sink_core(element));
  gst_base_sink_set_sync(GST_BASE_SINK(audio), reinterpret_cast<GstTexcastSink*>(element)->is_synced);
  sink_core(element)->expect_sound(true);
  gst_bin_add(GST_BIN(element), audio);
  GstPad* target = gst_element_get_static_pad(audio, "sink");
  GstPad* pad = gst_ghost_pad_new_from_template("audio", target, pads);
  gst_object_unref(target);
  gst_pad_set_active(pad, TRUE);
  gst_element_add_pad(element, pad);
  gst_element_sync_state_with_parent(audio);
  return pad;
}

void sink_release_pad(GstElement* element, GstPad* pad) {
  GstElement* audio = gst_bin_get_by_name(GST_BIN(element), "audio-sink");
  sink_core(element)->expect_sound(false);
  gst_element_remove_pad(element, pad);
  if (audio == nullptr) return;
  gst_element_set_locked_state(audio, TRUE);
  gst_element_set_state(audio, GST_STATE_NULL);
  gst_bin_remove(GST_BIN(element), audio);
  gst_object_unref(audio);
}

void gst_texcast_sink_init(GstTexcastSink* sink) {
  sink->core = new std::shared_ptr<SinkCore>(std::make_shared<SinkCore>());
  sink->is_synced = TRUE;
  GST_OBJECT_FLAG_SET(sink, GST_ELEMENT_FLAG_SINK);
  add_video(sink);
}

void gst_texcast_sink_class_init(GstTexcastSinkClass* type) {
  auto* object = G_OBJECT_CLASS(type);
  object->set_property = sink_set_property;
  object->get_property = sink_get_property;
  object->finalize = sink_finalize;
  install_sink_properties(object);
  g_object_class_install_property(
      object, kSync,
      g_param_spec_boolean("sync", "Sync", "Send each frame when the pipeline's clock reaches its time", TRUE,
                           static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)));
  auto* element = GST_ELEMENT_CLASS(type);
  element->change_state = sink_change_state;
  GstCaps* caps = sent_caps();
  gst_element_class_add_pad_template(element, gst_pad_template_new("video", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
  caps = sound_caps();
  gst_element_class_add_pad_template(element, gst_pad_template_new("audio", GST_PAD_SINK, GST_PAD_REQUEST, caps));
  gst_caps_unref(caps);
  element->request_new_pad = sink_request_pad;
  element->release_pad = sink_release_pad;
  gst_element_class_set_static_metadata(
      element, "texcast sender", "Sink/Video/Network",
      "Compresses raw video to GPU texture blocks and streams it over RTP/UDP to texcast or UltraGrid",
      "texcast authors");
}

}  // namespace

GType sink_element_type() { return gst_texcast_sink_get_type(); }

}  // namespace texcast::gstreamer
