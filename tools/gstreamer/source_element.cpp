#include "source_element.h"

#include <memory>

#include "audio_sink.h"
#include "audio_source.h"
#include "debug.h"
#include "errors.h"
#include "running_time.h"
#include "source_core.h"
#include "source_properties.h"
#include "video_formats.h"
#include "video_source.h"

namespace texcast::gstreamer {
namespace {

// A change of state waits so long for an address to fail, which is then its result. Later failures are errors only.
constexpr nanoseconds kOpeningTime = std::chrono::milliseconds(500);

struct GstTexcastSrc {
  GstBin parent;
  std::shared_ptr<SourceCore>* core;
};
struct GstTexcastSrcClass {
  GstBinClass parent_class;
};
G_DEFINE_TYPE(GstTexcastSrc, gst_texcast_src, GST_TYPE_BIN)

enum : guint { kNumBuffers = 100 };

const std::shared_ptr<SourceCore>& source_core(gpointer source) { return *static_cast<GstTexcastSrc*>(source)->core; }

void source_set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  if (id == kNumBuffers) {
    GstElement* video = gst_bin_get_by_name(GST_BIN(object), "video-source");
    g_object_set_property(G_OBJECT(video), spec->name, value);
    gst_object_unref(video);
    return;
  }
  if (!set_source_property(*source_core(object), id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

void source_get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  if (id == kNumBuffers) {
    GstElement* video = gst_bin_get_by_name(GST_BIN(object), "video-source");
    g_object_get_property(G_OBJECT(video), spec->name, value);
    gst_object_unref(video);
    return;
  }
  if (!get_source_property(*source_core(object), id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

bool open_stream(GstElement* element) {
  SourceCore& core = *source_core(element);
  const SourceSettings settings = core.snapshot();
  GstElement* child = gst_bin_get_by_name(GST_BIN(element), "video-source");
  // SourceCore::stream.close() ends these shares.
  const std::shared_ptr<GstElement> video = share_of(child), bin = share_of(element);
  gst_object_unref(child);
  GstElement* audio = gst_bin_get_by_name(GST_BIN(element), "audio-source");
  const bool has_audio = audio != nullptr;
  if (has_audio) gst_object_unref(audio);
  core.stream.open(
      [settings, has_audio](const StreamReceiver::OnTexture& on_texture, const StreamReceiver::OnSound& on_sound) {
        require_device(settings);
        return std::make_unique<StreamReceiver>(receiver_settings(settings), on_texture,
                                                has_audio ? on_sound : StreamReceiver::OnSound());
      },
      [bin](const std::exception_ptr& failure) { post_error(bin.get(), Direction::reads, failure); },
      [video] { return running_time(video.get()); }, most_waiting(settings.latency));
  return core.stream.wait_for_failure(kOpeningTime);
}

GstStateChangeReturn source_change_state(GstElement* element, GstStateChange change) {
  SourceCore& core = *source_core(element);
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED && !open_stream(element)) {
    core.stream.close();
    return GST_STATE_CHANGE_FAILURE;
  }
  const GstStateChangeReturn changed = GST_ELEMENT_CLASS(gst_texcast_src_parent_class)->change_state(element, change);
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (change == GST_STATE_CHANGE_READY_TO_PAUSED && changed == GST_STATE_CHANGE_FAILURE))
    core.stream.close();
  return changed;
}

void source_finalize(GObject* object) {
  delete static_cast<GstTexcastSrc*>(static_cast<gpointer>(object))->core;
  G_OBJECT_CLASS(gst_texcast_src_parent_class)->finalize(object);
}

void add_video_source(GstTexcastSrc* source) {
  GstElement* video = make_video_source(*source->core);
  gst_bin_add(GST_BIN(source), video);
  GstPad* target = gst_element_get_static_pad(video, "src");
  GstPadTemplate* pads = gst_element_class_get_pad_template(GST_ELEMENT_GET_CLASS(source), "video");
  gst_element_add_pad(GST_ELEMENT(source), gst_ghost_pad_new_from_template("video", target, pads));
  gst_object_unref(target);
}

// The pad "audio". Without it, no sound is received.
GstPad* source_request_pad(GstElement* element, GstPadTemplate* pads, const gchar*, const GstCaps*) {
  GstElement* before = gst_bin_get_by_name(GST_BIN(element), "audio-source");
  if (before != nullptr) {
    gst_object_unref(before);
    return nullptr;
  }
  GstElement* audio = make_audio_source(source_core(element));
  gst_bin_add(GST_BIN(element), audio);
  GstPad* target = gst_element_get_static_pad(audio, "src");
  GstPad* pad = gst_ghost_pad_new_from_template("audio", target, pads);
  gst_object_unref(target);
  gst_pad_set_active(pad, TRUE);
  gst_element_add_pad(element, pad);
  gst_element_sync_state_with_parent(audio);
  return pad;
}

void source_release_pad(GstElement* element, GstPad* pad) {
  GstElement* audio = gst_bin_get_by_name(GST_BIN(element), "audio-source");
  gst_element_remove_pad(element, pad);
  if (audio == nullptr) return;
  gst_element_set_locked_state(audio, TRUE);
  gst_element_set_state(audio, GST_STATE_NULL);
  gst_bin_remove(GST_BIN(element), audio);
  gst_object_unref(audio);
}

void gst_texcast_src_init(GstTexcastSrc* source) {
  source->core = new std::shared_ptr<SourceCore>(std::make_shared<SourceCore>());
  GST_OBJECT_FLAG_SET(source, GST_ELEMENT_FLAG_SOURCE);
  add_video_source(source);
}

void gst_texcast_src_class_init(GstTexcastSrcClass* type) {
  auto* object = G_OBJECT_CLASS(type);
  object->set_property = source_set_property;
  object->get_property = source_get_property;
  object->finalize = source_finalize;
  install_source_properties(object);
  g_object_class_install_property(
      object, kNumBuffers,
      g_param_spec_int("num-buffers", "Frames", "Pictures after which the stream ends (EOS); -1: never", -1, G_MAXINT,
                       -1, static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)));
  auto* element = GST_ELEMENT_CLASS(type);
  element->change_state = source_change_state;
  GstCaps* caps = received_caps();
  gst_element_class_add_pad_template(element, gst_pad_template_new("video", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
  caps = sound_caps();
  gst_element_class_add_pad_template(element, gst_pad_template_new("audio", GST_PAD_SRC, GST_PAD_REQUEST, caps));
  gst_caps_unref(caps);
  element->request_new_pad = source_request_pad;
  element->release_pad = source_release_pad;
  gst_element_class_set_static_metadata(element, "texcast receiver", "Source/Video/Network",
                                        "Receives a stream of texcast or UltraGrid and decodes it to raw video",
                                        "texcast authors");
}

}  // namespace

GType source_element_type() { return gst_texcast_src_get_type(); }

}  // namespace texcast::gstreamer
