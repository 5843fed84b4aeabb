#include "video_source.h"

#include <gst/base/gstpushsrc.h>
#include <gst/video/gstvideopool.h>
#include <gst/video/video.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "debug.h"
#include "errors.h"
#include "filtered_caps.h"
#include "outage.h"
#include "picture_decoder.h"
#include "video_formats.h"

namespace texcast::gstreamer {
namespace {

// The part of a stream that its caps describe.
struct Shape {
  TextureDesc desc{};
  double fps = 0;
  bool operator==(const Shape&) const = default;
};

struct VideoSourceState {
  std::shared_ptr<SourceCore> core{};
  std::optional<Shape> shape{};  // guarded by the element's object lock
  // Only the streaming thread uses these, and state changes, which do not run at the same time.
  GstVideoInfo info{};
  bool is_configured = false;
  PictureDecoder decoder{};
  uint64_t stream = 0;
};

struct GstTexcastVideoSrc {
  GstPushSrc parent;
  VideoSourceState* state;
};
struct GstTexcastVideoSrcClass {
  GstPushSrcClass parent_class;
};
G_DEFINE_TYPE(GstTexcastVideoSrc, gst_texcast_video_src, GST_TYPE_PUSH_SRC)

VideoSourceState& video_source_state(gpointer source) { return *static_cast<GstTexcastVideoSrc*>(source)->state; }
GstBaseSrcClass* video_source_parent() { return GST_BASE_SRC_CLASS(gst_texcast_video_src_parent_class); }

std::optional<Shape> shape_of(gpointer source) {
  GST_OBJECT_LOCK(source);
  const std::optional<Shape> shape = video_source_state(source).shape;
  GST_OBJECT_UNLOCK(source);
  return shape;
}

void set_shape(gpointer source, const std::optional<Shape>& shape) {
  GST_OBJECT_LOCK(source);
  video_source_state(source).shape = shape;
  GST_OBJECT_UNLOCK(source);
}

GstCaps* caps_of_shape(const Shape& shape) {
  GstCaps* caps = received_caps();
  const Rate rate = rate_of(shape.fps);
  const PixelAspect aspect = shape.desc.aspect;
  gst_caps_set_simple(caps, "width", G_TYPE_INT, shape.desc.width, "height", G_TYPE_INT, shape.desc.height, "framerate",
                      GST_TYPE_FRACTION, rate.num, rate.den, "pixel-aspect-ratio", GST_TYPE_FRACTION, aspect.num,
                      aspect.den, "interlace-mode", G_TYPE_STRING, "progressive", nullptr);
  return caps;
}

GstCaps* video_source_get_caps(GstBaseSrc* source, GstCaps* filter) {
  const auto shape = shape_of(source);
  GstCaps* caps = shape ? caps_of_shape(*shape) : gst_pad_get_pad_template_caps(GST_BASE_SRC_PAD(source));
  return filtered(caps, filter);
}

// The caps are known with the first frame.
gboolean video_source_negotiate(GstBaseSrc* source) {
  if (!shape_of(source)) return TRUE;
  return video_source_parent()->negotiate(source);
}

GstCaps* video_source_fixate(GstBaseSrc* source, GstCaps* caps) {
  caps = gst_caps_make_writable(gst_caps_truncate(caps));
  GstStructure* structure = gst_caps_get_structure(caps, 0);
  if (gst_structure_has_field(structure, "chroma-site"))
    gst_structure_fixate_field_string(structure, "chroma-site", "jpeg");
  return with_chroma_site(video_source_parent()->fixate(source, caps));
}

gboolean video_source_set_caps(GstBaseSrc* source, GstCaps* caps) {
  VideoSourceState& state = video_source_state(source);
  state.is_configured = gst_video_info_from_caps(&state.info, caps) && state.decoder.set_output(state.info);
  return state.is_configured;
}

// Buffers with any strides that downstream wants, from its pool or from one of our own.
gboolean video_source_decide_allocation(GstBaseSrc* source, GstQuery* query) {
  GstCaps* caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  if (caps == nullptr) return TRUE;  // before the first frame
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return FALSE;
  GstBufferPool* pool = nullptr;
  guint size = 0, least = 0, most = 0;
  const bool has_pool = gst_query_get_n_allocation_pools(query) > 0;
  if (has_pool) gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &least, &most);
  if (pool == nullptr) pool = gst_video_buffer_pool_new();
  size = std::max(size, static_cast<guint>(GST_VIDEO_INFO_SIZE(&info)));
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, least, most);
  if (gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr))
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_set_config(pool, config);
  if (has_pool)
    gst_query_set_nth_allocation_pool(query, 0, pool, size, least, most);
  else
    gst_query_add_allocation_pool(query, pool, size, least, most);
  gst_object_unref(pool);
  return video_source_parent()->decide_allocation(source, query);
}

void report_timeout(GstBaseSrc* source) {
  SourceCore& core = *video_source_state(source).core;
  const SourceSettings settings = core.snapshot();
  post_timeout(owner_of(source), settings.stream.listen, settings.timeout,
               core.stream.status().value_or(StreamReceiverStatus{}));
}

void report_stream(GstBaseSrc* source, const IncomingFrame& frame) {
  VideoSourceState& state = video_source_state(source);
  if (state.stream == frame.stream) return;
  state.stream = frame.stream;
  post_stream(owner_of(source), frame.texture.desc, frame.fps,
              state.core->stream.status().value_or(StreamReceiverStatus{}));
}

// Renegotiates if the stream is now another one.
bool follow_shape(GstBaseSrc* source, const IncomingFrame& frame) {
  const Shape shape{.desc = frame.texture.desc, .fps = frame.fps};
  if (shape_of(source) == shape && video_source_state(source).is_configured) return true;
  set_shape(source, shape);
  return gst_base_src_negotiate(source) && video_source_state(source).is_configured;
}

GstCaps* unix_time() {
  static GstCaps* const caps = [] {
    GstCaps* made = gst_caps_new_empty_simple("timestamp/x-unix");
    GST_MINI_OBJECT_FLAG_SET(made, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED);
    return made;
  }();
  return caps;
}

void add_times(GstBuffer* buffer, const IncomingFrame& frame) {
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(std::max(frame.time, nanoseconds(0)).count());
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  const nanoseconds period = frame_period(rate_of(frame.fps).num > 0 ? frame.fps : 0);
  GST_BUFFER_DURATION(buffer) = period.count() > 0 ? static_cast<GstClockTime>(period.count()) : GST_CLOCK_TIME_NONE;
  if (frame.available != WallTime{})
    gst_buffer_add_reference_timestamp_meta(buffer, unix_time(),
                                            static_cast<GstClockTime>(frame.available.time_since_epoch().count()),
                                            GST_CLOCK_TIME_NONE);
  if (frame.is_concealed) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_CORRUPTED);
  if (frame.follows_loss) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
}

GstFlowReturn decode_into(GstBaseSrc* source, const IncomingFrame& frame, GstBuffer** out) {
  VideoSourceState& state = video_source_state(source);
  GstBuffer* buffer = nullptr;
  const auto size = static_cast<guint>(GST_VIDEO_INFO_SIZE(&state.info));
  const GstFlowReturn allocated = video_source_parent()->alloc(source, static_cast<guint64>(-1), size, &buffer);
  if (allocated != GST_FLOW_OK) return allocated;
  GstVideoFrame picture;
  if (!gst_video_frame_map(&picture, &state.info, buffer, GST_MAP_WRITE)) {
    gst_buffer_unref(buffer);
    GST_ELEMENT_ERROR(owner_of(source), RESOURCE, WRITE, ("downstream's memory cannot be written"), (nullptr));
    return GST_FLOW_ERROR;
  }
  std::exception_ptr failure;
  try {
    state.decoder.decode(frame.texture, picture);
    state.core->is_by_device = state.decoder.is_by_device();
  } catch (...) {
    failure = std::current_exception();
  }
  gst_video_frame_unmap(&picture);
  if (failure) {
    gst_buffer_unref(buffer);
    std::rethrow_exception(failure);
  }
  add_times(buffer, frame);
  *out = buffer;
  return GST_FLOW_OK;
}

GstFlowReturn deliver(GstBaseSrc* source, const IncomingFrame& frame, GstBuffer** out) {
  try {
    report_stream(source, frame);
    if (!follow_shape(source, frame)) return GST_FLOW_NOT_NEGOTIATED;
    return decode_into(source, frame, out);
  } catch (...) {
    post_error(owner_of(source), Direction::reads, std::current_exception());
    return GST_FLOW_ERROR;
  }
}

GstFlowReturn video_source_create(GstPushSrc* pushing, GstBuffer** out) {
  GstBaseSrc* source = GST_BASE_SRC(pushing);
  SourceCore& core = *video_source_state(source).core;
  for (;;) {
    IncomingFrame frame;
    switch (core.stream.take(frame, core.snapshot().timeout)) {
      case IncomingStream::Taken::interrupted: return GST_FLOW_FLUSHING;
      case IncomingStream::Taken::timeout: report_timeout(source); break;
      case IncomingStream::Taken::frame: return deliver(source, frame, out);
    }
  }
}

gboolean video_source_query(GstBaseSrc* source, GstQuery* query) {
  if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return video_source_parent()->query(source, query);
  const nanoseconds latency = video_source_state(source).core->snapshot().latency;
  const auto shape = shape_of(source);
  const nanoseconds period = frame_period(shape ? shape->fps : 0);
  const auto capacity = static_cast<int64_t>(most_waiting(latency)) * period;
  const auto least = static_cast<GstClockTime>(latency.count());
  const GstClockTime most =
      period.count() > 0 ? std::max(least, static_cast<GstClockTime>(capacity.count())) : GST_CLOCK_TIME_NONE;
  gst_query_set_latency(query, TRUE, least, most);
  return TRUE;
}

// The pipeline's latency, which may be above ours, is how long frames have.
gboolean video_source_event(GstBaseSrc* source, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_LATENCY) {
    GstClockTime latency = 0;
    gst_event_parse_latency(event, &latency);
    SourceCore& core = *video_source_state(source).core;
    core.stream.set_latency(std::max(
        core.snapshot().latency, nanoseconds(static_cast<int64_t>(std::min<GstClockTime>(latency, G_MAXINT64 / 2)))));
  }
  return video_source_parent()->event(source, event);
}

gboolean video_source_unlock(GstBaseSrc* source) {
  video_source_state(source).core->stream.interrupt(true);
  return TRUE;
}

gboolean video_source_unlock_stop(GstBaseSrc* source) {
  video_source_state(source).core->stream.interrupt(false);
  return TRUE;
}

gboolean video_source_start(GstBaseSrc* source) {
  VideoSourceState& state = video_source_state(source);
  set_shape(source, std::nullopt);
  state.is_configured = false;
  state.stream = 0;
  const SourceSettings settings = state.core->snapshot();
  state.core->stream.set_latency(settings.latency);
  const std::shared_ptr<GstElement> owner = share_of(owner_of(source));
  state.decoder.use_device(settings.device, [owner](const std::exception_ptr& failure) {
    post_error(owner.get(), Direction::reads, failure);
  });
  return TRUE;
}

gboolean video_source_stop(GstBaseSrc* source) {
  VideoSourceState& state = video_source_state(source);
  state.decoder.release();
  state.core->is_by_device = false;
  return TRUE;
}

void video_source_finalize(GObject* object) {
  delete static_cast<GstTexcastVideoSrc*>(static_cast<gpointer>(object))->state;
  G_OBJECT_CLASS(gst_texcast_video_src_parent_class)->finalize(object);
}

void gst_texcast_video_src_init(GstTexcastVideoSrc* source) {
  source->state = new VideoSourceState;
  gst_base_src_set_live(GST_BASE_SRC(source), TRUE);
  gst_base_src_set_format(GST_BASE_SRC(source), GST_FORMAT_TIME);
}

void gst_texcast_video_src_class_init(GstTexcastVideoSrcClass* type) {
  G_OBJECT_CLASS(type)->finalize = video_source_finalize;
  auto* element = GST_ELEMENT_CLASS(type);
  GstCaps* caps = received_caps();
  gst_element_class_add_pad_template(element, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
  gst_element_class_set_static_metadata(element, "texcast video source", "Source/Video/Network", "A part of texcastsrc",
                                        "texcast authors");
  auto* base = GST_BASE_SRC_CLASS(type);
  base->get_caps = video_source_get_caps;
  base->negotiate = video_source_negotiate;
  base->fixate = video_source_fixate;
  base->set_caps = video_source_set_caps;
  base->decide_allocation = video_source_decide_allocation;
  base->query = video_source_query;
  base->event = video_source_event;
  base->unlock = video_source_unlock;
  base->unlock_stop = video_source_unlock_stop;
  base->start = video_source_start;
  base->stop = video_source_stop;
  GST_PUSH_SRC_CLASS(type)->create = video_source_create;
}

}  // namespace

GstElement* make_video_source(std::shared_ptr<SourceCore> core) {
  auto* source = GST_ELEMENT(g_object_new(gst_texcast_video_src_get_type(), "name", "video-source", nullptr));
  video_source_state(source).core = std::move(core);
  return source;
}

}  // namespace texcast::gstreamer
