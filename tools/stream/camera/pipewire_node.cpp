#include "pipewire_node.h"

#include <fmt/core.h>
#include <pipewire/extensions/metadata.h>
#include <spa/buffer/meta.h>
#include <spa/pod/builder.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "frames/from_rgb.h"
#include "pipewire_formats.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorKind::input, "there can be no camera: " + why); }

std::string_view value_of(const spa_dict* properties, const char* key) {
  const char* value = properties ? spa_dict_lookup(properties, key) : nullptr;
  return value ? value : "";
}

}  // namespace

const pw_stream_events PipewireNode::kStreamEvents = [] {
  pw_stream_events events{};
  events.version = PW_VERSION_STREAM_EVENTS;
  events.state_changed = [](void* self, pw_stream_state, pw_stream_state now, const char* error) {
    static_cast<PipewireNode*>(self)->take_state(now, error);
  };
  events.param_changed = [](void* self, uint32_t id, const spa_pod* param) {
    if (id == SPA_PARAM_Format) static_cast<PipewireNode*>(self)->take_format(param);
  };
  events.add_buffer = [](void* self, pw_buffer* buffer) { static_cast<PipewireNode*>(self)->versions_[buffer] = 0; };
  events.remove_buffer = [](void* self, pw_buffer* buffer) {
    static_cast<PipewireNode*>(self)->versions_.erase(buffer);
  };
  return events;
}();

const pw_core_events PipewireNode::kCoreEvents = [] {
  pw_core_events events{};
  events.version = PW_VERSION_CORE_EVENTS;
  events.done = [](void* user, uint32_t id, int sequence) {
    auto& self = *static_cast<PipewireNode*>(user);
    if (id == PW_ID_CORE && sequence == self.listed_) self.tell_about_manager();
  };
  events.error = [](void* self, uint32_t id, int, int error, const char* message) {
    if (id != PW_ID_CORE) return;  // errors of objects come as their own events
    static_cast<PipewireNode*>(self)->end(
        error == -EPIPE ? std::string("PipeWire has ended, and the camera with it; start again once it runs")
                        : fmt::format("PipeWire failed ({})", message ? message : ""));
  };
  return events;
}();

const pw_registry_events PipewireNode::kRegistryEvents = [] {
  pw_registry_events events{};
  events.version = PW_VERSION_REGISTRY_EVENTS;
  events.global = [](void* self, uint32_t, uint32_t, const char* type, uint32_t, const spa_dict* properties) {
    static_cast<PipewireNode*>(self)->take_global(type, properties);
  };
  return events;
}();

PipewireNode::PipewireNode(std::string name)
    : name_(std::move(name)), loop_(pw_thread_loop_new("texcast camera", nullptr)) {
  if (!loop_) fail("PipeWire's library is incomplete; install libpipewire-0.3-modules");
  try {
    connect();
    if (pw_thread_loop_start(loop_.get()) < 0) fail("cannot start a thread");
  } catch (...) {
    close();
    throw;
  }
}

PipewireNode::~PipewireNode() { close(); }

void PipewireNode::close() {
  if (stream_) {
    // Destroyed while the loop runs, as its data thread may be at work.
    const pw::Locked locked(loop_.get());
    spa_hook_remove(&stream_hook_);
    pw_stream_disconnect(stream_.get());
    stream_.reset();
  }
  pw_thread_loop_stop(loop_.get());
  registry_.reset();
  core_.reset();
  context_.reset();
}

void PipewireNode::connect() {
  context_.reset(pw_context_new(pw_thread_loop_get_loop(loop_.get()), nullptr, 0));
  if (!context_) fail("PipeWire's library found no configuration; install pipewire-bin");
  core_.reset(pw_context_connect(context_.get(), nullptr, 0));
  if (!core_)
    fail(
        "PipeWire is not running for this user; install pipewire and wireplumber, and start them "
        "(systemctl --user start pipewire wireplumber)");
  pw_core_add_listener(core_.get(), &core_hook_, &kCoreEvents, this);
  auto* registry = pw_core_get_registry(core_.get(), PW_VERSION_REGISTRY, 0);
  registry_.reset(reinterpret_cast<pw_proxy*>(registry));
  if (registry) pw_registry_add_listener(registry, &registry_hook_, &kRegistryEvents, this);
  listed_ = pw_core_sync(core_.get(), PW_ID_CORE, 0);
}

void PipewireNode::make_stream() {
  // NODE_NAME is for programs, which remember a camera by it.
  pw_properties* properties = pw_properties_new(PW_KEY_MEDIA_CLASS, "Video/Source", PW_KEY_MEDIA_ROLE, "Camera",
                                                PW_KEY_NODE_NAME, ("texcast." + name_).c_str(), PW_KEY_NODE_DESCRIPTION,
                                                name_.c_str(), PW_KEY_NODE_NICK, name_.c_str(), nullptr);
  stream_.reset(pw_stream_new(core_.get(), name_.c_str(), properties));
  if (!stream_) fail("PipeWire cannot create a stream");
  pw_stream_add_listener(stream_.get(), &stream_hook_, &kStreamEvents, this);
}

void PipewireNode::notify(std::function<void()> changed) {
  const pw::Locked locked(loop_.get());
  changed_ = std::move(changed);
}

bool PipewireNode::offer(const CameraOffer& offer) {
  const pw::Locked locked(loop_.get());
  offer_ = offer;
  negotiate();
  return true;
}

// Offers the formats of offer_. Programs that read already get new buffers.
void PipewireNode::negotiate() {
  std::array<uint8_t, 4096> memory{};
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, memory.data(), memory.size());
  format_.reset();
  auto formats = offered_formats(builder, *offer_);
  const auto count = static_cast<uint32_t>(formats.size());
  if (stream_) {
    pw_stream_update_params(stream_.get(), formats.data(), count);
    return;
  }
  make_stream();
  const auto flags = static_cast<pw_stream_flags>(PW_STREAM_FLAG_DRIVER | PW_STREAM_FLAG_MAP_BUFFERS);
  if (pw_stream_connect(stream_.get(), PW_DIRECTION_OUTPUT, PW_ID_ANY, flags, formats.data(), count) < 0)
    fail("PipeWire refuses the stream");
}

std::optional<CameraFormat> PipewireNode::wanted() {
  const pw::Locked locked(loop_.get());
  return is_streaming_ ? format_ : std::nullopt;
}

uint64_t PipewireNode::joined() {
  const pw::Locked locked(loop_.get());
  return joined_;
}

std::string PipewireNode::ended() {
  const pw::Locked locked(loop_.get());
  return ended_;
}

void PipewireNode::tell() {
  if (changed_) changed_();
}

void PipewireNode::end(std::string why) {
  if (ended_.empty()) ended_ = std::move(why);
  is_streaming_ = false;
  tell();
}

void PipewireNode::take_state(pw_stream_state now, const char* error) {
  if (now == PW_STREAM_STATE_ERROR)
    // It is a program that took none of the formats; others may connect.
    log_debug("camera '{}': {}", name_, error ? error : "PipeWire reports an error without a reason");
  const bool before = std::exchange(is_streaming_, now == PW_STREAM_STATE_STREAMING);
  if (is_streaming_ && !before) ++joined_;
  if (is_streaming_ != before) log_debug("camera '{}': {}", name_, is_streaming_ ? "watched" : "not watched");
  tell();
}

void PipewireNode::take_format(const spa_pod* format) {
  format_ = format != nullptr && offer_ ? negotiated_format(format, *offer_) : std::nullopt;
  if (format_) {
    log_debug("camera '{}': {} of {}x{}", name_, name(format_->picture.pixel_format), format_->picture.width,
              format_->picture.height);
    ask_for_buffers();
  }
  tell();
}

void PipewireNode::ask_for_buffers() {
  std::array<uint8_t, 1024> memory{};
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, memory.data(), memory.size());
  auto params = wanted_buffers(builder, *format_);
  pw_stream_update_params(stream_.get(), params.data(), static_cast<uint32_t>(params.size()));
}

void PipewireNode::take_global(const char* type, const spa_dict* properties) {
  const std::string_view kind = type;
  if (kind == PW_TYPE_INTERFACE_Link) {
    const std::string node = stream_ ? std::to_string(pw_stream_get_node_id(stream_.get())) : "";
    if (value_of(properties, PW_KEY_LINK_OUTPUT_NODE) != node) return;
    ++joined_;
    tell();
  } else if (kind == PW_TYPE_INTERFACE_Metadata && value_of(properties, "metadata.name") == "default") {
    has_manager_ = true;  // made by session managers
  }
}

void PipewireNode::tell_about_manager() {
  if (!has_manager_)
    log_warning(
        "no session manager of PipeWire is running, so that no program can be connected to the camera; start "
        "WirePlumber (systemctl --user start wireplumber)");
}

// Buffers that a slow program still reads come back later.
pw_buffer* PipewireNode::free_buffer() {
  for (size_t i = 0; i < versions_.size(); ++i)
    if (pw_buffer* const buffer = pw_stream_dequeue_buffer(stream_.get())) return buffer;
  return nullptr;
}

// PipeWire (0.3.65) sometimes allocates buffers before it has read which size the new format needs: it takes another
// program's list of our parameters for our answer to the format if both have the same sequence number.
bool PipewireNode::is_too_small(const pw_buffer& buffer, Bytes picture) {
  const spa_buffer& memory = *buffer.buffer;
  return memory.n_datas >= 1 && memory.datas[0].maxsize < picture.size();
}

bool PipewireNode::fill(pw_buffer& buffer, Bytes picture, uint64_t version) {
  spa_buffer& memory = *buffer.buffer;
  if (memory.n_datas < 1 || memory.datas[0].data == nullptr || is_too_small(buffer, picture)) return false;
  uint64_t& held = versions_[&buffer];
  if (held != version) std::memcpy(memory.datas[0].data, picture.data(), picture.size());
  held = version;
  *memory.datas[0].chunk = {.offset = 0,
                            .size = static_cast<uint32_t>(picture.size()),
                            .stride = place_tightly(format_->picture).stride[0],
                            .flags = 0};
  if (void* meta = spa_buffer_find_meta_data(&memory, SPA_META_Header, sizeof(spa_meta_header)))
    *static_cast<spa_meta_header*>(meta) = {
        .flags = 0, .offset = 0, .pts = steady_now().time_since_epoch().count(), .dts_offset = 0, .seq = sequence_++};
  return true;
}

bool PipewireNode::send(const CameraFormat& format, Bytes picture, uint64_t version) {
  const pw::Locked locked(loop_.get());
  if (!is_streaming_ || format_ != format) return false;
  pw_buffer* const buffer = free_buffer();
  if (buffer == nullptr) return false;
  const bool is_filled = fill(*buffer, picture, version);
  if (!is_filled) buffer->buffer->datas[0].chunk->size = 0;
  pw_stream_queue_buffer(stream_.get(), buffer);
  pw_stream_trigger_process(stream_.get());
  if (is_too_small(*buffer, picture)) {
    log_debug("camera '{}': PipeWire's buffers are smaller than a picture; the format is negotiated again", name_);
    negotiate();
  }
  return is_filled;
}

}  // namespace texcast::stream
