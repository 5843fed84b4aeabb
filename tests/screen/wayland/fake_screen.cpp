#include "fake_screen.h"

#include <spa/buffer/meta.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "own_desktop.h"

namespace texcast::test {
namespace {

constexpr int kCursorBytes = sizeof(spa_meta_cursor) + sizeof(spa_meta_bitmap) + 64 * 64 * 4;

spa_meta_region region_of(const screen::Rect& rect) {
  return {
      {.position = {rect.x, rect.y}, .size = {static_cast<uint32_t>(rect.width), static_cast<uint32_t>(rect.height)}}};
}

void write_cursor(spa_meta_cursor& meta, const ShownCursor& cursor) {
  meta = {};
  meta.id = cursor.visible ? 1 : 0;
  meta.position = {cursor.x, cursor.y};
  if (!cursor.shape) return;
  meta.hotspot = {cursor.shape->hot_x, cursor.shape->hot_y};
  meta.bitmap_offset = sizeof meta;
  auto* bitmap = reinterpret_cast<spa_meta_bitmap*>(&meta + 1);
  *bitmap = {.format = SPA_VIDEO_FORMAT_BGRA,
             .size = {static_cast<uint32_t>(cursor.shape->width), static_cast<uint32_t>(cursor.shape->height)},
             .stride = cursor.shape->width * 4,
             .offset = sizeof *bitmap};
  std::memcpy(bitmap + 1, cursor.shape->texels.data(), cursor.shape->texels.size() * 4);
}

}  // namespace

FakeScreen::FakeScreen(int width, int height, const ScreenKind& kind) : kind_(kind), width_(width), height_(height) {
  connect();
  const bool has_node = comes_true([&] {
    const pw::Locked locked(client_.loop());
    node_ = pw_stream_get_node_id(client_.stream());
    return node_ != SPA_ID_INVALID;
  });
  if (!has_node) throw std::runtime_error("no node");
}

void FakeScreen::connect() {
  const pw::Locked locked(client_.loop());
  client_.make_stream("fake screen", pw_properties_new(PW_KEY_MEDIA_CLASS, "Video/Source", nullptr));
  static const pw_stream_events kEvents = [] {
    pw_stream_events events{};
    events.version = PW_VERSION_STREAM_EVENTS;
    events.state_changed = [](void* self, pw_stream_state, pw_stream_state now, const char*) {
      static_cast<FakeScreen*>(self)->streaming_ = now == PW_STREAM_STATE_STREAMING;
    };
    events.param_changed = [](void* user, uint32_t id, const spa_pod* param) {
      auto& self = *static_cast<FakeScreen*>(user);
      spa_video_info_raw video{};
      if (id != SPA_PARAM_Format || param == nullptr || spa_format_video_raw_parse(param, &video) < 0) return;
      self.streamed_width_ = static_cast<int>(video.size.width);
      self.offer_buffers();
    };
    events.add_buffer = [](void* self, pw_buffer* buffer) { static_cast<FakeScreen*>(self)->allocate(*buffer); };
    events.remove_buffer = [](void* user, pw_buffer* buffer) {
      spa_data& data = buffer->buffer->datas[0];
      if (!static_cast<FakeScreen*>(user)->kind_.allocates || data.data == nullptr) return;
      munmap(data.data, data.maxsize);
      close(static_cast<int>(data.fd));
      data.data = nullptr;
    };
    return events;
  }();
  pw_stream_add_listener(client_.stream(), &hook_, &kEvents, this);
  std::array<uint8_t, 1024> memory{};
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, memory.data(), memory.size());
  std::vector<const spa_pod*> offered = formats(builder);
  const int who = kind_.allocates ? PW_STREAM_FLAG_ALLOC_BUFFERS : PW_STREAM_FLAG_MAP_BUFFERS;
  pw_stream_connect(client_.stream(), PW_DIRECTION_OUTPUT, PW_ID_ANY,
                    static_cast<pw_stream_flags>(PW_STREAM_FLAG_DRIVER | who), offered.data(),
                    static_cast<uint32_t>(offered.size()));
}

FakeScreen::~FakeScreen() { client_.end(); }

std::vector<const spa_pod*> FakeScreen::formats(spa_pod_builder& builder) const {
  std::vector<const spa_pod*> all;
  if (kind_.offers_dmabuf) all.push_back(format_pod(builder, true));
  all.push_back(format_pod(builder, false));
  return all;
}

const spa_pod* FakeScreen::format_pod(spa_pod_builder& builder, bool of_gpu) const {
  const spa_rectangle size{static_cast<uint32_t>(width_), static_cast<uint32_t>(height_)};
  const spa_fraction rate{0, 1}, most{75, 1}, least{1, 1};
  spa_pod_frame object{}, choice{};
  spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
  spa_pod_builder_add(&builder, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype,
                      SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format, SPA_POD_Id(kind_.format),
                      SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&size), SPA_FORMAT_VIDEO_framerate,
                      SPA_POD_Fraction(&rate), SPA_FORMAT_VIDEO_maxFramerate,
                      SPA_POD_CHOICE_RANGE_Fraction(&most, &least, &most), 0);
  if (of_gpu) {
    spa_pod_builder_prop(&builder, SPA_FORMAT_VIDEO_modifier,
                         SPA_POD_PROP_FLAG_MANDATORY | SPA_POD_PROP_FLAG_DONT_FIXATE);
    spa_pod_builder_push_choice(&builder, &choice, SPA_CHOICE_Enum, 0);
    for (const int64_t modifier : {0, 0})
      spa_pod_builder_long(&builder, modifier);  // linear: the default, and then all
    spa_pod_builder_pop(&builder, &choice);
  }
  return static_cast<const spa_pod*>(spa_pod_builder_pop(&builder, &object));
}

void FakeScreen::offer_buffers() {
  std::array<uint8_t, 2048> memory{};
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, memory.data(), memory.size());
  std::vector<const spa_pod*> params;
  const int stride = width_ * 4 + 32;  // with padding after each row
  params.push_back(static_cast<const spa_pod*>(spa_pod_builder_add_object(
      &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
      SPA_POD_CHOICE_RANGE_Int(4, 2, 8), SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1), SPA_PARAM_BUFFERS_size,
      SPA_POD_Int(stride * height_), SPA_PARAM_BUFFERS_stride, SPA_POD_Int(stride), SPA_PARAM_BUFFERS_dataType,
      SPA_POD_CHOICE_FLAGS_Int(1 << SPA_DATA_MemFd))));
  const auto meta = [&](int type, size_t size) {
    params.push_back(static_cast<const spa_pod*>(spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type, SPA_POD_Id(type), SPA_PARAM_META_size,
        SPA_POD_CHOICE_RANGE_Int(static_cast<int>(size), 1, static_cast<int>(size)))));
  };
  meta(SPA_META_Header, sizeof(spa_meta_header));
  meta(SPA_META_VideoCrop, sizeof(spa_meta_region));
  meta(SPA_META_Cursor, kCursorBytes);
  if (kind_.says_damage) meta(SPA_META_VideoDamage, 4 * sizeof(spa_meta_region));
  pw_stream_update_params(client_.stream(), params.data(), static_cast<uint32_t>(params.size()));
}

// A page of the file precedes the picture.
void FakeScreen::allocate(pw_buffer& buffer) const {
  if (!kind_.allocates) return;
  spa_data& data = buffer.buffer->datas[0];
  const auto page = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
  data.type = SPA_DATA_MemFd;
  data.flags = SPA_DATA_FLAG_READWRITE;
  data.maxsize = static_cast<uint32_t>((width_ * 4 + 32) * height_);
  data.mapoffset = page;
  const int fd = memfd_create("fake screen", MFD_CLOEXEC);
  if (ftruncate(fd, page + data.maxsize) != 0) return;
  data.fd = fd;
  data.data = mmap(nullptr, data.maxsize, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page);
}

bool FakeScreen::fill(pw_buffer& buffer, const Shown& shown) {
  spa_data& data = buffer.buffer->datas[0];
  const int stride = width_ * 4 + 32;
  if (data.data == nullptr || data.maxsize < static_cast<uint32_t>(stride * height_)) return false;
  for (int y = 0; y < height_ && !shown.texels.empty(); ++y)
    std::memcpy(static_cast<std::byte*>(data.data) + y * stride, shown.texels.data() + y * width_,
                static_cast<size_t>(width_) * 4);
  *data.chunk = {.offset = 0,
                 .size = shown.texels.empty() ? 0 : static_cast<uint32_t>(stride * height_),
                 .stride = stride,
                 .flags = shown.broken ? static_cast<int32_t>(SPA_CHUNK_FLAG_CORRUPTED) : 0};
  spa_buffer* all = buffer.buffer;
  if (void* meta = spa_buffer_find_meta_data(all, SPA_META_Header, sizeof(spa_meta_header))) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    *static_cast<spa_meta_header*>(meta) = {.flags = 0,
                                            .offset = 0,
                                            .pts = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec,
                                            .dts_offset = 0,
                                            .seq = kind_.counts ? sequence_++ : 0};
  }
  if (void* meta = spa_buffer_find_meta_data(all, SPA_META_VideoCrop, sizeof(spa_meta_region)))
    *static_cast<spa_meta_region*>(meta) = region_of(shown.crop.value_or(screen::Rect{}));
  if (void* meta = spa_buffer_find_meta_data(all, SPA_META_Cursor, kCursorBytes))
    write_cursor(*static_cast<spa_meta_cursor*>(meta), shown.cursor.value_or(ShownCursor{.visible = false}));
  if (spa_meta* meta = spa_buffer_find_meta(all, SPA_META_VideoDamage)) {
    auto* region = static_cast<spa_meta_region*>(meta->data);
    const size_t room = meta->size / sizeof *region;
    for (size_t i = 0; i < room; ++i) region[i] = region_of(i < shown.damage.size() ? shown.damage[i] : screen::Rect{});
  }
  return true;
}

void FakeScreen::show(const Shown& shown) {
  if (shown.skipped) {
    ++sequence_;
    return;
  }
  usleep(20'000);  // PipeWire 0.3 loses pictures that come faster than it can announce them
  for (int attempt = 0; attempt < 10; ++attempt) {
    const uint64_t sequence = sequence_;
    spa_meta_busy* kept = nullptr;
    const bool sent = comes_true([&] {
      const pw::Locked locked(client_.loop());
      if (!streaming_ || streamed_width_ != width_) return false;
      pw_buffer* buffer = pw_stream_dequeue_buffer(client_.stream());
      if (buffer == nullptr) return false;
      kept = static_cast<spa_meta_busy*>(spa_buffer_find_meta_data(buffer->buffer, SPA_META_Busy, sizeof *kept));
      const bool filled = fill(*buffer, shown);
      pw_stream_queue_buffer(client_.stream(), buffer);
      return filled;
    });
    if (!sent) throw std::runtime_error("nobody takes the picture");
    // The capture keeps it. Pictures may also be lost while PipeWire makes a connection.
    if (kept == nullptr || shown.texels.empty() || shown.broken) return;
    for (int wait = 0; wait < 1000; ++wait, usleep(2000))
      if (__atomic_load_n(&kept->count, __ATOMIC_SEQ_CST) > 0) return;
    sequence_ = sequence;
  }
  throw std::runtime_error("the picture does not arrive");
}

void FakeScreen::resize(int width, int height) {
  const pw::Locked locked(client_.loop());
  width_ = width;
  height_ = height;
  std::array<uint8_t, 1024> memory{};
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, memory.data(), memory.size());
  std::vector<const spa_pod*> offered = formats(builder);
  pw_stream_update_params(client_.stream(), offered.data(), static_cast<uint32_t>(offered.size()));
}

}  // namespace texcast::test
