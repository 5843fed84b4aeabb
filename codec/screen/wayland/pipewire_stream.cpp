#include "pipewire_stream.h"

#include <fmt/core.h>
#include <spa/buffer/meta.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <utility>

#include "no_capture.h"
#include "screen/rects.h"

namespace texcast::screen::wayland {
namespace {

// KWin 5.27 rounds the place down and the size up where it scales damage, so that the last texels may be missing.
constexpr int kDamageMargin = 1;
constexpr size_t kMostRects = 8;      // of damage; more become their bounding box
constexpr int kMostRegions = 64;      // of damage in a buffer
constexpr int kMostCursorSide = 384;  // texels
constexpr uint32_t kFormats[] = {SPA_VIDEO_FORMAT_BGRx, SPA_VIDEO_FORMAT_BGRA, SPA_VIDEO_FORMAT_RGBx,
                                 SPA_VIDEO_FORMAT_RGBA};

bool red_first(uint32_t format) { return format == SPA_VIDEO_FORMAT_RGBx || format == SPA_VIDEO_FORMAT_RGBA; }

void copy_row(uint32_t* target, const std::byte* from, int texels, std::ptrdiff_t step_bytes) {
  if (step_bytes == 4) {
    std::memcpy(target, from, size_t{4} * texels);
    return;
  }
  for (int i = 0; i < texels; ++i) std::memcpy(target + i, from + i * step_bytes, 4);
}

uint32_t swapped(uint32_t texel) { return (texel & 0xFF00FF00u) | (texel & 0xFFu) << 16 | (texel >> 16 & 0xFFu); }

FrameFormat bgra(uint32_t width, uint32_t height) {
  return {.pixel_format = PixelFormat::bgra,
          .width = static_cast<int>(width),
          .height = static_cast<int>(height),
          .color = kFullRange,
          .opaque = true};
}

// Values from other programs, clamped to the range of pictures before any arithmetic.
Rect rect_of(const spa_region& region) {
  const auto side = [](uint32_t value) { return static_cast<int>(std::min<uint32_t>(value, 2 * kMaxFrameSize)); };
  const auto place = [](int32_t value) { return std::clamp(value, -2 * kMaxFrameSize, 2 * kMaxFrameSize); };
  return {place(region.position.x), place(region.position.y), side(region.size.width), side(region.size.height)};
}

template <typename Meta>
const Meta* find_meta(const spa_buffer& buffer, uint32_t type) {
  return static_cast<const Meta*>(spa_buffer_find_meta_data(&buffer, type, sizeof(Meta)));
}

const spa_pod* offered_formats(spa_pod_builder& builder) {
  const spa_rectangle usual{1920, 1080}, least{1, 1}, most{kMaxFrameSize, kMaxFrameSize};
  const spa_fraction rate{60, 1}, slowest{0, 1}, fastest{1000, 1};
  spa_pod_frame object, choice;
  spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
  spa_pod_builder_add(&builder, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype,
                      SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), 0);
  spa_pod_builder_prop(&builder, SPA_FORMAT_VIDEO_format, 0);
  spa_pod_builder_push_choice(&builder, &choice, SPA_CHOICE_Enum, 0);
  spa_pod_builder_id(&builder, kFormats[0]);  // the default first, and then all
  for (const uint32_t format : kFormats) spa_pod_builder_id(&builder, format);
  spa_pod_builder_pop(&builder, &choice);
  spa_pod_builder_add(&builder, SPA_FORMAT_VIDEO_size, SPA_POD_CHOICE_RANGE_Rectangle(&usual, &least, &most),
                      SPA_FORMAT_VIDEO_framerate, SPA_POD_CHOICE_RANGE_Fraction(&rate, &slowest, &fastest), 0);
  return static_cast<const spa_pod*>(spa_pod_builder_pop(&builder, &object));
}

constexpr int cursor_bytes(int side) {
  return static_cast<int>(sizeof(spa_meta_cursor) + sizeof(spa_meta_bitmap)) + side * side * 4;
}

// Wall time of a moment of CLOCK_MONOTONIC, by which compositors stamp pictures; the present time if that is
// implausible.
WallTime wall_time_of(int64_t monotonic_ns) {
  const nanoseconds ago = steady_now().time_since_epoch() - nanoseconds(monotonic_ns);
  const bool believable = monotonic_ns > 0 && ago >= nanoseconds(0) && ago < std::chrono::seconds(1);
  return wall_now() - (believable ? ago : nanoseconds(0));
}

}  // namespace

const pw_stream_events PipewireStream::kStreamEvents = [] {
  pw_stream_events events{};
  events.version = PW_VERSION_STREAM_EVENTS;
  events.state_changed = [](void* self, pw_stream_state before, pw_stream_state now, const char* error) {
    if (now == PW_STREAM_STATE_ERROR)
      static_cast<PipewireStream*>(self)->end(
          fmt::format("PipeWire has ended the stream ({})", error ? error : "no reason given"), false);
    else if (now == PW_STREAM_STATE_UNCONNECTED && before != PW_STREAM_STATE_UNCONNECTED)
      static_cast<PipewireStream*>(self)->end("PipeWire has ended the stream", false);
  };
  events.param_changed = [](void* self, uint32_t id, const spa_pod* param) {
    if (id == SPA_PARAM_Format && param != nullptr) static_cast<PipewireStream*>(self)->take_format(param);
  };
  events.remove_buffer = [](void* self, pw_buffer* buffer) {
    static_cast<PipewireStream*>(self)->remove_buffer(*buffer);
  };
  events.process = [](void* self) { static_cast<PipewireStream*>(self)->take_buffers(); };
  return events;
}();

const pw_core_events PipewireStream::kCoreEvents = [] {
  pw_core_events events{};
  events.version = PW_VERSION_CORE_EVENTS;
  events.error = [](void* self, uint32_t id, int, int error, const char* message) {
    if (id != PW_ID_CORE) return;  // errors of objects come as their own events
    static_cast<PipewireStream*>(self)->end(
        error == -EPIPE ? std::string("PipeWire has ended; start the capture again once it runs")
                        : fmt::format("PipeWire failed ({})", message ? message : ""));
  };
  return events;
}();

const pw_registry_events PipewireStream::kRegistryEvents = [] {
  pw_registry_events events{};
  events.version = PW_VERSION_REGISTRY_EVENTS;
  events.global_remove = [](void* user, uint32_t id) {
    auto& self = *static_cast<PipewireStream*>(user);
    if (id == self.node_)
      self.end("the shared monitor or window is gone: the compositor has ended, or the window was closed", false);
  };
  return events;
}();

PipewireStream::PipewireStream(Descriptor remote, uint32_t node, bool with_cursor, const WakeEvent& waker)
    : node_(node), with_cursor_(with_cursor), waker_(waker), loop_(pw_thread_loop_new("texcast screen", nullptr)) {
  if (!loop_) fail("PipeWire's library is incomplete; install libpipewire-0.3-modules");
  damage_.reserve(kMostRects + 1);
  given_damage_.reserve(kMostRects + 1);
  try {
    connect(std::move(remote));
    if (pw_thread_loop_start(loop_.get()) < 0) fail("cannot start a thread");
  } catch (...) {
    close();
    throw;
  }
}

PipewireStream::~PipewireStream() { close(); }

void PipewireStream::close() {
  if (stream_) {
    // Destroyed while the loop runs: once it does not, PipeWire's data thread calls for pictures itself, concurrently
    // with what follows.
    const pw::Locked locked(loop_.get());
    spa_hook_remove(&stream_hook_);
    pw_stream_disconnect(stream_.get());
    newest_.reset();
    damage_.clear();
    if (!picture_.empty()) format_ = given_;
  }
  pw_thread_loop_stop(loop_.get());
  stream_.reset();
  registry_.reset();
  core_.reset();
  context_.reset();
}

void PipewireStream::connect(Descriptor remote) {
  context_.reset(pw_context_new(pw_thread_loop_get_loop(loop_.get()), nullptr, 0));
  if (!context_) fail("PipeWire's library found no configuration; install pipewire-bin");
  core_.reset(pw_context_connect_fd(context_.get(), remote.release(), nullptr, 0));
  if (!core_) fail("cannot connect to PipeWire; is it running (systemctl --user status pipewire)?");
  pw_core_add_listener(core_.get(), &core_hook_, &kCoreEvents, this);
  auto* registry = pw_core_get_registry(core_.get(), PW_VERSION_REGISTRY, 0);
  registry_.reset(reinterpret_cast<pw_proxy*>(registry));
  if (registry) pw_registry_add_listener(registry, &registry_hook_, &kRegistryEvents, this);

  pw_properties* properties = pw_properties_new(PW_KEY_MEDIA_TYPE, "Video", PW_KEY_MEDIA_CATEGORY, "Capture",
                                                PW_KEY_MEDIA_ROLE, "Screen", nullptr);
  stream_.reset(pw_stream_new(core_.get(), "texcast", properties));
  if (!stream_) fail("PipeWire cannot create a stream");
  pw_stream_add_listener(stream_.get(), &stream_hook_, &kStreamEvents, this);
  std::array<uint8_t, 1024> memory{};
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, memory.data(), memory.size());
  const spa_pod* formats = offered_formats(builder);
  // Not reconnected: when the shared source has gone, another source (a camera) must not replace it.
  const auto flags = static_cast<pw_stream_flags>(PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS |
                                                  PW_STREAM_FLAG_DONT_RECONNECT);
  if (pw_stream_connect(stream_.get(), PW_DIRECTION_INPUT, node_, flags, &formats, 1) < 0)
    fail("PipeWire refuses the stream");
}

bool PipewireStream::has_format() const {
  const pw::Locked locked(loop_.get());
  return video_.size.width > 0;
}

bool PipewireStream::has_picture() const {
  const pw::Locked locked(loop_.get());
  return newest_ || !picture_.empty();
}

bool PipewireStream::has_news() const {
  const pw::Locked locked(loop_.get());
  return news_;
}

FrameFormat PipewireStream::format() const {
  const pw::Locked locked(loop_.get());
  return format_;
}

PipewireStream::Ending PipewireStream::ended() const {
  const pw::Locked locked(loop_.get());
  return ended_;
}

double PipewireStream::refresh_rate() const {
  const pw::Locked locked(loop_.get());
  const spa_fraction& rate = video_.framerate.num > 0 ? video_.framerate : video_.max_framerate;
  return rate.num > 0 && rate.denom > 0 ? static_cast<double>(rate.num) / rate.denom : 0;
}

void PipewireStream::tell() {
  news_ = true;
  waker_.wake();
}

void PipewireStream::end(std::string why, bool final) {
  if (ended_.why.empty()) ended_ = {std::move(why), final};
  waker_.wake();
}

void PipewireStream::take_format(const spa_pod* format) {
  spa_video_info_raw video{};
  if (spa_format_video_raw_parse(format, &video) < 0 || video.size.width < 1 || video.size.height < 1 ||
      video.size.width > kMaxFrameSize || video.size.height > kMaxFrameSize)
    return end(fmt::format("the desktop's pictures are {}x{}; sides up to {} are supported", video.size.width,
                           video.size.height, kMaxFrameSize));
  video_ = video;
  unknown_ = true;
  if (format_.width == 0) format_ = bgra(video.size.width, video.size.height);
  ask_for_buffers();
  waker_.wake();
}

void PipewireStream::ask_for_buffers() {
  std::array<uint8_t, 2048> memory{};
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, memory.data(), memory.size());
  std::array<const spa_pod*, 6> params{};
  uint32_t count = 0;
  const auto add = [&](void* pod) { params[count++] = static_cast<const spa_pod*>(pod); };
  // One is kept, one is drawn into, one is on its way back; the others are for a busy machine.
  add(spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
                                 SPA_POD_CHOICE_RANGE_Int(6, 3, 16), SPA_PARAM_BUFFERS_dataType,
                                 SPA_POD_CHOICE_FLAGS_Int(1 << SPA_DATA_MemFd | 1 << SPA_DATA_MemPtr)));
  const auto meta = [&](int type, int size) {
    add(spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type,
                                   SPA_POD_Id(type), SPA_PARAM_META_size, SPA_POD_Int(size)));
  };
  const auto meta_up_to = [&](int type, int usual, int least, int most) {
    add(spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type,
                                   SPA_POD_Id(type), SPA_PARAM_META_size,
                                   SPA_POD_CHOICE_RANGE_Int(usual, least, most)));
  };
  constexpr int kRegion = sizeof(spa_meta_region);
  meta(SPA_META_Header, sizeof(spa_meta_header));
  meta(SPA_META_VideoCrop, kRegion);
  meta(SPA_META_VideoTransform, sizeof(spa_meta_videotransform));
  meta_up_to(SPA_META_VideoDamage, 16 * kRegion, kRegion, kMostRegions * kRegion);
  if (with_cursor_) meta_up_to(SPA_META_Cursor, cursor_bytes(64), cursor_bytes(1), cursor_bytes(kMostCursorSide));
  pw_stream_update_params(stream_.get(), params.data(), count);
}

void PipewireStream::remove_buffer(pw_buffer& buffer) {
  if (!newest_ || newest_->buffer != &buffer) return;
  if (!newest_->taken) {  // its picture and damage cannot be fetched any more
    damage_.clear();
    unknown_ = true;
  }
  newest_.reset();
}

void PipewireStream::take_buffers() {
  while (pw_buffer* const buffer = pw_stream_dequeue_buffer(stream_.get())) {
    if (with_cursor_) take_cursor(*buffer->buffer);
    const auto picture = picture_of(*buffer);
    pw_buffer* done = buffer;
    if (picture) {
      done = newest_ ? newest_->buffer : nullptr;
      newest_ = picture;
      tell();
    }
    if (done) pw_stream_queue_buffer(stream_.get(), done);
  }
}

std::optional<PipewireStream::Picture> PipewireStream::picture_of(pw_buffer& buffer) {
  const spa_buffer& all_of_it = *buffer.buffer;
  const auto* header = find_meta<spa_meta_header>(all_of_it, SPA_META_Header);
  if (header && header->seq != 0 && sequence_ && header->seq != *sequence_ + 1) unknown_ = true;  // one is missing
  if (header) sequence_ = header->seq;
  if (all_of_it.n_datas < 1) return std::nullopt;
  const spa_data& data = all_of_it.datas[0];
  const spa_chunk& chunk = *data.chunk;
  if (chunk.size == 0) return std::nullopt;  // only the pointer has changed
  if ((header && (header->flags & SPA_META_HEADER_FLAG_CORRUPTED) != 0) ||
      (chunk.flags & SPA_CHUNK_FLAG_CORRUPTED) != 0) {
    unknown_ = true;
    return std::nullopt;
  }
  if (data.data == nullptr) {
    end("its pictures are in a type of memory that texcast cannot read");
    return std::nullopt;
  }
  const Rect all{0, 0, static_cast<int>(video_.size.width), static_cast<int>(video_.size.height)};
  Rect part = all;
  // For windows, whose pictures may be part of larger ones.
  if (const auto* crop = find_meta<spa_meta_region>(all_of_it, SPA_META_VideoCrop);
      crop && spa_meta_region_is_valid(crop))
    part = common(rect_of(crop->region), all);
  const int64_t stride = chunk.stride > 0 ? chunk.stride : int64_t{all.width} * 4;
  const int64_t begin = chunk.offset + part.y * stride + int64_t{part.x} * 4;
  const int64_t bytes = (part.height - 1) * stride + int64_t{part.width} * 4;
  if (part.width < 1 || part.height < 1 || stride < int64_t{all.width} * 4 || begin + bytes > data.maxsize) {
    unknown_ = true;
    return std::nullopt;
  }

  const auto* said = find_meta<spa_meta_videotransform>(all_of_it, SPA_META_VideoTransform);
  const Turn turn = said ? Turn(said->transform) : Turn();
  const auto [width, height] = turn.upright_size(part.width, part.height);
  const FrameFormat format = bgra(static_cast<uint32_t>(width), static_cast<uint32_t>(height));
  if (format != format_) damage_.clear();
  if (format != format_ || part != part_ || turn != turn_) unknown_ = true;
  format_ = format;
  part_ = part;
  turn_ = turn;
  if (damage_.empty()) captured_ = wall_time_of(header ? header->pts : 0);
  take_damage(all_of_it, {0, 0, part.width, part.height});
  return Picture{.buffer = &buffer,
                 .plane = {static_cast<const std::byte*>(data.data) + begin, stride},
                 .width = part.width,
                 .height = part.height,
                 .turn = turn,
                 .red_first = red_first(video_.format)};
}

// Adds the damage of this picture relative to the previous one. `all`: the picture as stored.
void PipewireStream::take_damage(const spa_buffer& buffer, const Rect& all) {
  const spa_meta* meta = spa_buffer_find_meta(&buffer, SPA_META_VideoDamage);
  const spa_meta_region* region = nullptr;
  bool said = false;
  if (meta && !unknown_) {
    spa_meta_for_each(region, meta) {
      if (!spa_meta_region_is_valid(region)) break;
      said = true;
      Rect rect = rect_of(region->region);
      rect.x -= part_.x;
      rect.y -= part_.y;
      rect.width += kDamageMargin;
      rect.height += kDamageMargin;
      rect = common(rect, all);
      if (!is_empty(rect)) add_damage(turn_.upright(rect, all.width, all.height));
    }
  }
  // A picture without damage information may differ anywhere.
  if (!said) add_damage(turn_.upright(all, all.width, all.height));
  unknown_ = false;
}

void PipewireStream::add_damage(const Rect& rect) {
  const auto contains = [](const Rect& outer, const Rect& inner) { return common(inner, outer) == inner; };
  if (std::any_of(damage_.begin(), damage_.end(), [&](const Rect& one) { return contains(one, rect); })) return;
  std::erase_if(damage_, [&](const Rect& one) { return contains(rect, one); });
  if (damage_.size() < kMostRects) {
    damage_.push_back(rect);
    return;
  }
  Rect all = rect;
  for (const Rect& one : damage_) all = around(all, one);
  damage_.assign(1, all);
}

void PipewireStream::take_cursor(const spa_buffer& buffer) {
  const spa_meta* meta = spa_buffer_find_meta(&buffer, SPA_META_Cursor);
  if (!meta || meta->size < sizeof(spa_meta_cursor)) return;
  const auto& said = *static_cast<const spa_meta_cursor*>(meta->data);
  Cursor now = cursor_;
  now.visible = spa_meta_cursor_is_valid(&said);
  if (now.visible) {
    const Rect point = rect_of({.position = said.position, .size = {}});
    now.x = point.x - part_.x;
    now.y = point.y - part_.y;
    if (said.bitmap_offset >= sizeof(spa_meta_cursor)) take_shape(*meta, said, now);
  }
  if (now == cursor_) return;
  cursor_ = std::move(now);
  tell();
}

void PipewireStream::take_shape(const spa_meta& meta, const spa_meta_cursor& said, Cursor& cursor) {
  const uint64_t at = said.bitmap_offset;
  if (at + sizeof(spa_meta_bitmap) > meta.size) return;
  spa_meta_bitmap bitmap{};
  std::memcpy(&bitmap, static_cast<const std::byte*>(meta.data) + at, sizeof bitmap);
  if (!spa_meta_bitmap_is_valid(&bitmap)) return;
  auto shape = std::make_shared<CursorShape>();
  const auto [width, height] = bitmap.size;
  const int64_t stride = bitmap.stride > 0 ? bitmap.stride : int64_t{width} * 4;
  const bool is_known = std::find(std::begin(kFormats), std::end(kFormats), bitmap.format) != std::end(kFormats);
  // Without texels the pointer is invisible.
  if (bitmap.offset >= sizeof bitmap && width > 0 && height > 0) {
    if (!is_known || width > kMostCursorSide || height > kMostCursorSide || stride < int64_t{width} * 4 ||
        at + bitmap.offset + (height - 1) * static_cast<uint64_t>(stride) + width * 4 > meta.size)
      return;
    shape->width = static_cast<int>(width);
    shape->height = static_cast<int>(height);
    shape->hot_x = std::clamp(said.hotspot.x, 0, shape->width - 1);
    shape->hot_y = std::clamp(said.hotspot.y, 0, shape->height - 1);
    shape->texels.resize(size_t{width} * height);
    for (uint32_t y = 0; y < height; ++y)
      std::memcpy(shape->texels.data() + size_t{y} * width,
                  static_cast<const std::byte*>(meta.data) + at + bitmap.offset + y * stride, size_t{width} * 4);
    if (red_first(bitmap.format))
      for (uint32_t& texel : shape->texels) texel = swapped(texel);
  }
  // An identical image, which some compositors send with every move, keeps the same shape.
  const auto facts = [](const CursorShape& of) { return std::tie(of.width, of.height, of.hot_x, of.hot_y, of.texels); };
  if (cursor.shape && facts(*cursor.shape) == facts(*shape)) return;
  cursor.shape = std::move(shape);
}

ScreenUpdate PipewireStream::take() {
  const pw::Locked locked(loop_.get());
  const size_t texels = static_cast<size_t>(format_.width) * static_cast<size_t>(format_.height);
  if (newest_ && !newest_->taken) {
    picture_.resize(texels);
    given_ = format_;
    copy_damage();
  } else if (picture_.empty()) {
    picture_.assign(texels, 0xFF000000u);
    given_ = format_;
    add_damage({0, 0, format_.width, format_.height});
  }
  std::swap(damage_, given_damage_);
  damage_.clear();
  news_ = false;
  const PlaneView plane{reinterpret_cast<const std::byte*>(picture_.data()), std::ptrdiff_t{given_.width} * 4};
  return {.picture = {.format = given_, .planes = {plane}},
          .damage = given_damage_,
          .captured = given_damage_.empty() || captured_ == WallTime{} ? wall_now() : captured_,
          .cursor = cursor_};
}

// The rest of the picture is that of earlier ones.
void PipewireStream::copy_damage() {
  const Turn::Walk from = newest_->turn.walk(newest_->plane, newest_->width, newest_->height);
  for (const Rect& rect : damage_)
    for (int y = rect.y; y < rect.y + rect.height; ++y) {
      uint32_t* const target = picture_.data() + static_cast<size_t>(y) * given_.width + rect.x;
      copy_row(target, from.first + y * from.down + rect.x * from.right, rect.width, from.right);
      if (newest_->red_first) std::transform(target, target + rect.width, target, swapped);
    }
  newest_->taken = true;
}

}  // namespace texcast::screen::wayland
