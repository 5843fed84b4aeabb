#include "lease_pool.h"

#include <array>
#include <utility>

#include "video_formats.h"

namespace texcast::gstreamer {
namespace {

struct LeaseState {
  std::shared_ptr<FramePool> frames{};
  GstVideoInfo info{};
  bool has_meta = false;
  bool lends = false;  // buffers are frames of the pool
};

struct GstTexcastLeasePool {
  GstBufferPool parent;
  LeaseState* state;
};
struct GstTexcastLeasePoolClass {
  GstBufferPoolClass parent_class;
};
G_DEFINE_TYPE(GstTexcastLeasePool, gst_texcast_lease_pool, GST_TYPE_BUFFER_POOL)

LeaseState& lease_state(gpointer pool) { return *static_cast<GstTexcastLeasePool*>(pool)->state; }

using Offsets = std::array<gsize, GST_VIDEO_MAX_PLANES>;
using Strides = std::array<gint, GST_VIDEO_MAX_PLANES>;

// The layout of the pool's frames, in the order of GStreamer's planes.
std::pair<Offsets, Strides> lease_layout(const LeaseState& state) {
  Offsets offsets{};
  Strides strides{};
  const FramePlacement& placed = state.frames->placement();
  const int planes = plane_count(state.frames->format().pixel_format);
  for (int p = 0; p < planes; ++p) {
    const int own = yv12_plane(GST_VIDEO_INFO_FORMAT(&state.info), p);
    offsets[static_cast<size_t>(p)] = static_cast<gsize>(placed.offset[static_cast<size_t>(own)]);
    strides[static_cast<size_t>(p)] = placed.stride[static_cast<size_t>(own)];
  }
  return {offsets, strides};
}

// Whether an element that knows nothing of GstVideoMeta expects the same layout.
bool is_usual_layout(const LeaseState& state) {
  const auto [offsets, strides] = lease_layout(state);
  for (size_t p = 0; p < GST_VIDEO_INFO_N_PLANES(&state.info); ++p)
    if (offsets[p] != GST_VIDEO_INFO_PLANE_OFFSET(&state.info, p) ||
        strides[p] != GST_VIDEO_INFO_PLANE_STRIDE(&state.info, p))
      return false;
  return true;
}

void end_lease(gpointer lease) { delete static_cast<FrameLease*>(lease); }

GstBuffer* wrap(const LeaseState& state, FrameLease lease) {
  const FramePlacement& placed = state.frames->placement();
  std::byte* data = lease.data();
  auto* share = new FrameLease(std::move(lease));
  GstBuffer* buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, gst_memory_new_wrapped(static_cast<GstMemoryFlags>(0), data, placed.padded_bytes, 0,
                                                          placed.bytes, share, end_lease));
  auto [offsets, strides] = lease_layout(state);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&state.info),
                                 static_cast<guint>(GST_VIDEO_INFO_WIDTH(&state.info)),
                                 static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&state.info)),
                                 GST_VIDEO_INFO_N_PLANES(&state.info), offsets.data(), strides.data());
  return buffer;
}

GstBuffer* plain_buffer(const LeaseState& state) {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&state.info), nullptr);
  if (buffer != nullptr && state.has_meta)
    gst_buffer_add_video_meta(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&state.info),
                              static_cast<guint>(GST_VIDEO_INFO_WIDTH(&state.info)),
                              static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&state.info)));
  return buffer;
}

const gchar** pool_get_options(GstBufferPool*) {
  static std::array<const gchar*, 2> options = {GST_BUFFER_POOL_OPTION_VIDEO_META, nullptr};
  return options.data();
}

gboolean pool_set_config(GstBufferPool* pool, GstStructure* config) {
  LeaseState& state = lease_state(pool);
  GstCaps* caps = nullptr;
  guint size = 0, least = 0, most = 0;
  if (!gst_buffer_pool_config_get_params(config, &caps, &size, &least, &most) || caps == nullptr ||
      !gst_video_info_from_caps(&state.info, caps))
    return FALSE;
  state.has_meta = gst_buffer_pool_config_has_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  const auto format = frame_format(state.info);
  state.lends = format && *format == state.frames->format() && (state.has_meta || is_usual_layout(state));
  return GST_BUFFER_POOL_CLASS(gst_texcast_lease_pool_parent_class)->set_config(pool, config);
}

GstFlowReturn pool_acquire_buffer(GstBufferPool* pool, GstBuffer** buffer, GstBufferPoolAcquireParams*) {
  if (GST_BUFFER_POOL_IS_FLUSHING(pool)) return GST_FLOW_FLUSHING;
  const LeaseState& state = lease_state(pool);
  FrameLease lease = state.lends ? state.frames->lend() : FrameLease();
  *buffer = lease ? wrap(state, std::move(lease)) : plain_buffer(state);
  return *buffer != nullptr ? GST_FLOW_OK : GST_FLOW_ERROR;
}

// The frames' own pool keeps the memory; buffers are only their wrappers.
gboolean pool_start(GstBufferPool*) { return TRUE; }
void pool_release_buffer(GstBufferPool*, GstBuffer* buffer) { gst_buffer_unref(buffer); }

void pool_finalize(GObject* object) {
  delete static_cast<GstTexcastLeasePool*>(static_cast<gpointer>(object))->state;
  G_OBJECT_CLASS(gst_texcast_lease_pool_parent_class)->finalize(object);
}

void gst_texcast_lease_pool_init(GstTexcastLeasePool* pool) { pool->state = new LeaseState; }

void gst_texcast_lease_pool_class_init(GstTexcastLeasePoolClass* type) {
  G_OBJECT_CLASS(type)->finalize = pool_finalize;
  GstBufferPoolClass* pool = GST_BUFFER_POOL_CLASS(type);
  pool->get_options = pool_get_options;
  pool->set_config = pool_set_config;
  pool->start = pool_start;
  pool->acquire_buffer = pool_acquire_buffer;
  pool->release_buffer = pool_release_buffer;
}

}  // namespace

GstBufferPool* make_lease_pool(std::shared_ptr<FramePool> frames) {
  auto* pool = GST_BUFFER_POOL(gst_object_ref_sink(g_object_new(gst_texcast_lease_pool_get_type(), nullptr)));
  lease_state(pool).frames = std::move(frames);
  return pool;
}

}  // namespace texcast::gstreamer
