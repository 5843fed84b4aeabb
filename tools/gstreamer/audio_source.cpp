#include "audio_source.h"

#include <gst/audio/audio.h>
#include <gst/base/gstpushsrc.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "audio_sink.h"
#include "debug.h"
#include "filtered_caps.h"
#include "running_time.h"

namespace texcast::gstreamer {
namespace {

constexpr nanoseconds kSilence = std::chrono::milliseconds(20);  // of a buffer where there is no sound

constexpr nanoseconds kMostSilence = std::chrono::seconds(1);  // made up afterwards

constexpr nanoseconds kContinuous = std::chrono::microseconds(500);

// Only the streaming thread uses it, and state changes, which do not run at the same time.
struct AudioSourceState {
  std::shared_ptr<SourceCore> core{};
  SoundFormat format{};  // guarded by the element's object lock
  bool is_configured = false;
  std::optional<nanoseconds> next{};  // where the latest buffer ended
};

struct GstTexcastAudioSrc {
  GstPushSrc parent;
  AudioSourceState* state;
};
struct GstTexcastAudioSrcClass {
  GstPushSrcClass parent_class;
};
G_DEFINE_TYPE(GstTexcastAudioSrc, gst_texcast_audio_src, GST_TYPE_PUSH_SRC)

AudioSourceState& audio_source_state(gpointer source) { return *static_cast<GstTexcastAudioSrc*>(source)->state; }
GstBaseSrcClass* audio_source_parent() { return GST_BASE_SRC_CLASS(gst_texcast_audio_src_parent_class); }

SoundFormat sound_format_of(gpointer source) {
  GST_OBJECT_LOCK(source);
  const SoundFormat format = audio_source_state(source).format;
  GST_OBJECT_UNLOCK(source);
  return format;
}

GstCaps* caps_of_sound(const SoundFormat& format) {
  GstCaps* caps = sound_caps();
  gst_caps_set_simple(caps, "rate", G_TYPE_INT, format.sample_rate, "channels", G_TYPE_INT, format.channels, nullptr);
  if (format.channels > 2) gst_caps_set_simple(caps, "channel-mask", GST_TYPE_BITMASK, guint64{0}, nullptr);
  return caps;
}

GstCaps* audio_source_get_caps(GstBaseSrc* source, GstCaps* filter) {
  return filtered(caps_of_sound(sound_format_of(source)), filter);
}

bool follow_format(GstBaseSrc* source, const SoundFormat& format) {
  AudioSourceState& state = audio_source_state(source);
  if (state.is_configured && sound_format_of(source) == format) return true;
  GST_OBJECT_LOCK(source);
  state.format = format;
  GST_OBJECT_UNLOCK(source);
  state.is_configured = gst_base_src_negotiate(source) != FALSE;
  return state.is_configured;
}

GstBuffer* buffer_of(const IncomingSound& sound) {
  const size_t bytes = sound.samples.size() * sizeof(float);
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, bytes, nullptr);
  if (buffer == nullptr) return nullptr;
  gst_buffer_fill(buffer, 0, sound.samples.data(), bytes);
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(std::max(sound.time, nanoseconds(0)).count());
  GST_BUFFER_DURATION(buffer) = static_cast<GstClockTime>(sound.duration().count());
  if (sound.is_discontinuous) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  return buffer;
}

// Silence after what was delivered, so that mixers and files go on.
GstBuffer* silence_at(nanoseconds time, const SoundFormat& format) {
  const auto frames = static_cast<size_t>(kSilence.count() * format.sample_rate / 1'000'000'000);
  const IncomingSound silence{
      .samples = std::vector<float>(frames * static_cast<size_t>(format.channels)), .format = format, .time = time};
  GstBuffer* buffer = buffer_of(silence);
  if (buffer != nullptr) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_GAP);
  return buffer;
}

// Blocks that are over already are left out: they were replaced by silence.
bool is_over(const AudioSourceState& state, const IncomingSound& sound) {
  return state.next && sound.time + sound.duration() / 2 < *state.next;
}

GstFlowReturn deliver_sound(GstBaseSrc* source, const IncomingSound& sound, GstBuffer** out) {
  if (!follow_format(source, sound.format)) return GST_FLOW_NOT_NEGOTIATED;
  AudioSourceState& state = audio_source_state(source);
  *out = buffer_of(sound);
  if (*out == nullptr) return GST_FLOW_ERROR;
  const nanoseconds off = sound.time - state.next.value_or(nanoseconds(0));  // beside silence that was made up
  if (off < -kContinuous || off > kContinuous) GST_BUFFER_FLAG_SET(*out, GST_BUFFER_FLAG_DISCONT);
  state.next = sound.time + sound.duration();
  return GST_FLOW_OK;
}

// Nothing if there is time left for sound to come.
std::optional<GstFlowReturn> deliver_silence(GstBaseSrc* source, GstBuffer** out) {
  AudioSourceState& state = audio_source_state(source);
  const auto now = running_time(GST_ELEMENT(source));
  if (!now) return std::nullopt;
  if (!state.next || *state.next + kMostSilence < *now) state.next = *now;  // downstream did not take it for a while
  if (*state.next + state.core->snapshot().latency > *now) return std::nullopt;
  const SoundFormat format = sound_format_of(source);
  if (!follow_format(source, format)) return GST_FLOW_NOT_NEGOTIATED;
  *out = silence_at(*state.next, format);
  *state.next += kSilence;
  return *out != nullptr ? GST_FLOW_OK : GST_FLOW_ERROR;
}

GstFlowReturn audio_source_create(GstPushSrc* pushing, GstBuffer** out) {
  GstBaseSrc* source = GST_BASE_SRC(pushing);
  AudioSourceState& state = audio_source_state(source);
  for (;;) {
    IncomingSound sound;
    switch (state.core->stream.sound().take(sound, steady_now() + kSilence / 2)) {
      case SoundQueue::Taken::interrupted: return GST_FLOW_FLUSHING;
      case SoundQueue::Taken::nothing:
        if (const auto flow = deliver_silence(source, out)) return *flow;
        break;
      case SoundQueue::Taken::block:
        if (!is_over(state, sound)) return deliver_sound(source, sound, out);
        break;
    }
  }
}

gboolean audio_source_query(GstBaseSrc* source, GstQuery* query) {
  if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return audio_source_parent()->query(source, query);
  const auto latency = static_cast<GstClockTime>(audio_source_state(source).core->snapshot().latency.count());
  gst_query_set_latency(query, TRUE, latency + static_cast<GstClockTime>(kSilence.count()), GST_CLOCK_TIME_NONE);
  return TRUE;
}

gboolean audio_source_unlock(GstBaseSrc* source) {
  audio_source_state(source).core->stream.sound().interrupt(true);
  return TRUE;
}

gboolean audio_source_unlock_stop(GstBaseSrc* source) {
  audio_source_state(source).core->stream.sound().interrupt(false);
  return TRUE;
}

gboolean audio_source_start(GstBaseSrc* source) {
  AudioSourceState& state = audio_source_state(source);
  state.is_configured = false;
  state.next.reset();
  return TRUE;
}

void audio_source_finalize(GObject* object) {
  delete static_cast<GstTexcastAudioSrc*>(static_cast<gpointer>(object))->state;
  G_OBJECT_CLASS(gst_texcast_audio_src_parent_class)->finalize(object);
}

void gst_texcast_audio_src_init(GstTexcastAudioSrc* source) {
  source->state = new AudioSourceState;
  gst_base_src_set_live(GST_BASE_SRC(source), TRUE);
  gst_base_src_set_format(GST_BASE_SRC(source), GST_FORMAT_TIME);
}

void gst_texcast_audio_src_class_init(GstTexcastAudioSrcClass* type) {
  G_OBJECT_CLASS(type)->finalize = audio_source_finalize;
  auto* element = GST_ELEMENT_CLASS(type);
  GstCaps* caps = sound_caps();
  gst_element_class_add_pad_template(element, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
  gst_element_class_set_static_metadata(element, "texcast audio source", "Source/Audio/Network", "A part of texcastsrc",
                                        "texcast authors");
  auto* base = GST_BASE_SRC_CLASS(type);
  base->get_caps = audio_source_get_caps;
  base->query = audio_source_query;
  base->unlock = audio_source_unlock;
  base->unlock_stop = audio_source_unlock_stop;
  base->start = audio_source_start;
  GST_PUSH_SRC_CLASS(type)->create = audio_source_create;
}

}  // namespace

GstElement* make_audio_source(std::shared_ptr<SourceCore> core) {
  auto* source = GST_ELEMENT(g_object_new(gst_texcast_audio_src_get_type(), "name", "audio-source", nullptr));
  audio_source_state(source).core = std::move(core);
  return source;
}

}  // namespace texcast::gstreamer
