#include "video_sink.h"

#include <gst/video/gstvideosink.h>
#include <gst/video/video.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "debug.h"
#include "errors.h"
#include "lease_pool.h"
#include "video_formats.h"

namespace texcast::gstreamer {
namespace {

constexpr nanoseconds kFinishAtEnd = std::chrono::seconds(2);
constexpr nanoseconds kFinishBeforeNext = std::chrono::milliseconds(500);

// Only the streaming thread uses it, and state changes, which do not run at the same time.
struct VideoSinkState {
  std::shared_ptr<SinkCore> core{};
  GstVideoInfo info{};
  std::optional<VideoShape> shape{};  // of the present stream
  nanoseconds last_pts{-1};
};

struct GstTexcastVideoSink {
  GstVideoSink parent;
  VideoSinkState* state;
};
struct GstTexcastVideoSinkClass {
  GstVideoSinkClass parent_class;
};
G_DEFINE_TYPE(GstTexcastVideoSink, gst_texcast_video_sink, GST_TYPE_VIDEO_SINK)

VideoSinkState& video_sink_state(gpointer sink) { return *static_cast<GstTexcastVideoSink*>(sink)->state; }
GstBaseSinkClass* video_sink_parent() { return GST_BASE_SINK_CLASS(gst_texcast_video_sink_parent_class); }

double fps_of(const GstVideoInfo& info) {
  const int num = GST_VIDEO_INFO_FPS_N(&info), den = GST_VIDEO_INFO_FPS_D(&info);
  return num > 0 && den > 0 ? static_cast<double>(num) / den : 0;
}

// Other frames than before begin another stream, to the same destinations.
gboolean video_sink_set_caps(GstBaseSink* sink, GstCaps* caps) {
  VideoSinkState& state = video_sink_state(sink);
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return FALSE;
  const auto format = frame_format(info);
  if (!format) {
    GST_INFO_OBJECT(sink, "cannot send these frames: %" GST_PTR_FORMAT, static_cast<void*>(caps));
    return FALSE;
  }
  state.info = info;
  const VideoShape shape{.format = *format, .fps = fps_of(info)};
  if (state.shape == shape) return TRUE;
  try {
    if (state.shape) finish(state.core->stream(), kFinishBeforeNext);
  } catch (...) {  // of the old stream, which ends here
    GST_INFO_OBJECT(sink, "the previous stream ended with an error");
  }
  state.shape = shape;
  state.last_pts = nanoseconds(-1);
  state.core->set_video(shape);
  return TRUE;
}

// Waits for the sender, whose device decides about memory. An error is reported with the first frame.
std::shared_ptr<FramePool> sender_pool(OutgoingStream& stream) {
  try {
    if (!stream.wait()) return nullptr;
    return stream.with([](StreamSender& sender) { return sender.frame_pool(); }).value_or(nullptr);
  } catch (...) {
    return nullptr;
  }
}

gboolean video_sink_propose_allocation(GstBaseSink* sink, GstQuery* query) {
  const VideoSinkState& state = video_sink_state(sink);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  GstCaps* caps = nullptr;
  gboolean need_pool = FALSE;
  gst_query_parse_allocation(query, &caps, &need_pool);
  GstVideoInfo info;
  if (caps == nullptr || !gst_video_info_from_caps(&info, caps)) return FALSE;
  if (!need_pool || !state.shape || frame_format(info) != state.shape->format) return TRUE;
  const auto frames = sender_pool(state.core->stream());
  if (!frames) return TRUE;
  GstBufferPool* pool = make_lease_pool(frames);
  const auto size = static_cast<guint>(std::max(frames->placement().bytes, GST_VIDEO_INFO_SIZE(&info)));
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, 0, 0);
  gst_buffer_pool_set_config(pool, config);
  gst_query_add_allocation_pool(query, pool, size, 0, 0);
  gst_object_unref(pool);
  return TRUE;
}

// The time of the frame in the stream: the pipeline's running time, which rises from frame to frame.
nanoseconds next_pts(GstBaseSink* sink, const GstBuffer* buffer) {
  VideoSinkState& state = video_sink_state(sink);
  const GstClockTime time = gst_segment_to_running_time(&sink->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  const nanoseconds frame = frame_period(state.shape->fps > 0 ? state.shape->fps : 60);
  nanoseconds pts = GST_CLOCK_TIME_IS_VALID(time) ? nanoseconds(static_cast<int64_t>(time))
                    : state.last_pts.count() < 0  ? nanoseconds(0)
                                                  : state.last_pts + frame;
  pts = std::max(pts, state.last_pts + nanoseconds(1));
  state.last_pts = pts;
  return pts;
}

GstFlowReturn send_buffer(GstBaseSink* sink, GstBuffer* buffer) {
  const VideoSinkState& state = video_sink_state(sink);
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &state.info, buffer, GST_MAP_READ)) {
    GST_ELEMENT_ERROR(owner_of(sink), STREAM, FORMAT, ("a buffer has not the size of its caps"), (nullptr));
    return GST_FLOW_ERROR;
  }
  const FrameView view = frame_view(state.shape->format, frame);
  const struct Unmap {
    GstVideoFrame& frame;
    ~Unmap() { gst_video_frame_unmap(&frame); }
  } unmap{frame};
  const nanoseconds pts = next_pts(sink, buffer);
  const auto sent = state.core->stream().with([&](StreamSender& sender) { return sender.send(view, pts); });
  if (!sent.value_or(true)) GST_DEBUG_OBJECT(sink, "dropped a frame: the device or the network is a frame behind");
  return GST_FLOW_OK;
}

GstFlowReturn video_sink_render(GstBaseSink* sink, GstBuffer* buffer) {
  const VideoSinkState& state = video_sink_state(sink);
  if (!state.shape) return GST_FLOW_NOT_NEGOTIATED;
  try {
    while (!state.core->stream().wait()) {
      const GstFlowReturn waited = gst_base_sink_wait_preroll(sink);  // paused or flushed while it was opened
      if (waited != GST_FLOW_OK) return waited;
    }
    return send_buffer(sink, buffer);
  } catch (...) {
    post_error(owner_of(sink), Direction::writes, std::current_exception());
    return GST_FLOW_ERROR;
  }
}

gboolean video_sink_event(GstBaseSink* sink, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS) {
    try {
      finish(video_sink_state(sink).core->stream(), kFinishAtEnd);
    } catch (...) {
      post_error(owner_of(sink), Direction::writes, std::current_exception());
    }
  }
  return video_sink_parent()->event(sink, event);
}

gboolean video_sink_unlock(GstBaseSink* sink) {
  video_sink_state(sink).core->stream().interrupt(true);
  return TRUE;
}

gboolean video_sink_unlock_stop(GstBaseSink* sink) {
  video_sink_state(sink).core->stream().interrupt(false);
  return TRUE;
}

gboolean video_sink_stop(GstBaseSink* sink) {
  VideoSinkState& state = video_sink_state(sink);
  state.core->set_video(std::nullopt);
  state.shape.reset();
  return TRUE;
}

void video_sink_finalize(GObject* object) {
  delete static_cast<GstTexcastVideoSink*>(static_cast<gpointer>(object))->state;
  G_OBJECT_CLASS(gst_texcast_video_sink_parent_class)->finalize(object);
}

void gst_texcast_video_sink_init(GstTexcastVideoSink* sink) {
  sink->state = new VideoSinkState;
  gst_base_sink_set_last_sample_enabled(GST_BASE_SINK(sink), FALSE);  // it would keep a frame of the pool
  gst_base_sink_set_max_lateness(GST_BASE_SINK(sink), -1);            // receivers decide what is too late
  gst_base_sink_set_qos_enabled(GST_BASE_SINK(sink), FALSE);
}

void gst_texcast_video_sink_class_init(GstTexcastVideoSinkClass* type) {
  G_OBJECT_CLASS(type)->finalize = video_sink_finalize;
  auto* element = GST_ELEMENT_CLASS(type);
  GstCaps* caps = sent_caps();
  gst_element_class_add_pad_template(element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
  gst_element_class_set_static_metadata(element, "texcast video sink", "Sink/Video/Network", "A part of texcastsink",
                                        "texcast authors");
  auto* base = GST_BASE_SINK_CLASS(type);
  base->set_caps = video_sink_set_caps;
  base->propose_allocation = video_sink_propose_allocation;
  base->render = video_sink_render;
  base->preroll = nullptr;  // a frame is sent once, when it is due
  base->event = video_sink_event;
  base->unlock = video_sink_unlock;
  base->unlock_stop = video_sink_unlock_stop;
  base->stop = video_sink_stop;
}

}  // namespace

GstElement* make_video_sink(std::shared_ptr<SinkCore> core) {
  auto* sink = GST_ELEMENT(g_object_new(gst_texcast_video_sink_get_type(), "name", "video-sink", nullptr));
  video_sink_state(sink).core = std::move(core);
  return sink;
}

}  // namespace texcast::gstreamer
