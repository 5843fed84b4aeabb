#include "audio_sink.h"

#include <gst/audio/audio.h>
#include <gst/base/gstbasesink.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "debug.h"
#include "errors.h"
#include "texcast/error.h"

namespace texcast::gstreamer {
namespace {

// Only the streaming thread uses it, and state changes, which do not run at the same time.
struct AudioSinkState {
  std::shared_ptr<SinkCore> core{};
  std::optional<SoundFormat> format{};
  bool has_failed = false;
};

struct GstTexcastAudioSink {
  GstBaseSink parent;
  AudioSinkState* state;
};
struct GstTexcastAudioSinkClass {
  GstBaseSinkClass parent_class;
};
G_DEFINE_TYPE(GstTexcastAudioSink, gst_texcast_audio_sink, GST_TYPE_BASE_SINK)

AudioSinkState& audio_sink_state(gpointer sink) { return *static_cast<GstTexcastAudioSink*>(sink)->state; }

gboolean audio_sink_set_caps(GstBaseSink* sink, GstCaps* caps) {
  AudioSinkState& state = audio_sink_state(sink);
  GstAudioInfo info;
  if (!gst_audio_info_from_caps(&info, caps)) return FALSE;
  const SoundFormat format{.sample_rate = GST_AUDIO_INFO_RATE(&info), .channels = GST_AUDIO_INFO_CHANNELS(&info)};
  state.format = format;
  state.core->set_sound(format);
  return TRUE;
}

// Pictures go on without sound.
void warn_about_sound(GstBaseSink* sink, const Error& error) {
  AudioSinkState& state = audio_sink_state(sink);
  if (!std::exchange(state.has_failed, true))
    GST_ELEMENT_WARNING(owner_of(sink), RESOURCE, WRITE, ("the sound is not sent: %s", error.what()), (nullptr));
}

GstFlowReturn audio_sink_render(GstBaseSink* sink, GstBuffer* buffer) {
  const AudioSinkState& state = audio_sink_state(sink);
  if (!state.format) return GST_FLOW_NOT_NEGOTIATED;
  const GstClockTime time = gst_segment_to_running_time(&sink->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  GstMapInfo map;
  if (!GST_CLOCK_TIME_IS_VALID(time) || !state.core->takes_sound(*state.format) ||
      !gst_buffer_map(buffer, &map, GST_MAP_READ))
    return GST_FLOW_OK;
  const auto frame = static_cast<size_t>(state.format->channels);
  const size_t samples = map.size / sizeof(float) / frame * frame;
  const std::span<const float> sound(reinterpret_cast<const float*>(map.data), samples);
  try {
    state.core->stream().with(
        [&](StreamSender& sender) { return sender.send_sound(sound, nanoseconds(static_cast<int64_t>(time))); });
  } catch (const Error& error) {
    warn_about_sound(sink, error);
  }
  gst_buffer_unmap(buffer, &map);
  return GST_FLOW_OK;
}

gboolean audio_sink_stop(GstBaseSink* sink) {
  AudioSinkState& state = audio_sink_state(sink);
  state.core->set_sound(std::nullopt);
  state.format.reset();
  state.has_failed = false;
  return TRUE;
}

void audio_sink_finalize(GObject* object) {
  delete static_cast<GstTexcastAudioSink*>(static_cast<gpointer>(object))->state;
  G_OBJECT_CLASS(gst_texcast_audio_sink_parent_class)->finalize(object);
}

void gst_texcast_audio_sink_init(GstTexcastAudioSink* sink) {
  sink->state = new AudioSinkState;
  gst_base_sink_set_last_sample_enabled(GST_BASE_SINK(sink), FALSE);
  gst_base_sink_set_sync(GST_BASE_SINK(sink), TRUE);
}

void gst_texcast_audio_sink_class_init(GstTexcastAudioSinkClass* type) {
  G_OBJECT_CLASS(type)->finalize = audio_sink_finalize;
  auto* element = GST_ELEMENT_CLASS(type);
  GstCaps* caps = sound_caps();
  gst_element_class_add_pad_template(element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
  gst_element_class_set_static_metadata(element, "texcast audio sink", "Sink/Audio/Network", "A part of texcastsink",
                                        "texcast authors");
  auto* base = GST_BASE_SINK_CLASS(type);
  base->set_caps = audio_sink_set_caps;
  base->render = audio_sink_render;
  base->stop = audio_sink_stop;
}

}  // namespace

GstCaps* sound_caps() {
  return gst_caps_from_string("audio/x-raw, format = " GST_AUDIO_NE(
      F32) ", layout = interleaved, "
           "rate = [ 8000, 192000 ], channels = [ 1, 16 ]");
}

GstElement* make_audio_sink(std::shared_ptr<SinkCore> core) {
  auto* sink = GST_ELEMENT(g_object_new(gst_texcast_audio_sink_get_type(), "name", "audio-sink", nullptr));
  audio_sink_state(sink).core = std::move(core);
  return sink;
}

}  // namespace texcast::gstreamer
