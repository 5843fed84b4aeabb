#include "node_reader.h"

#include <spa/pod/builder.h>

#include <array>

#include "../screen/wayland/own_desktop.h"

namespace texcast::test {
namespace {

const spa_pod* taken_formats(spa_pod_builder& builder, spa_video_format format, uint32_t most_fps) {
  const spa_rectangle usual{320, 240}, least{1, 1}, most{16384, 16384};
  const spa_fraction rate{most_fps, 1}, slowest{0, 1}, fastest{most_fps, 1};
  return static_cast<const spa_pod*>(spa_pod_builder_add_object(
      &builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
      SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format, SPA_POD_Id(format),
      SPA_FORMAT_VIDEO_size, SPA_POD_CHOICE_RANGE_Rectangle(&usual, &least, &most), SPA_FORMAT_VIDEO_framerate,
      SPA_POD_CHOICE_RANGE_Fraction(&rate, &slowest, &fastest)));
}

const pw_stream_events& events() {
  static const pw_stream_events kEvents = [] {
    pw_stream_events events{};
    events.version = PW_VERSION_STREAM_EVENTS;
    return events;
  }();
  return kEvents;
}

}  // namespace

NodeReader::NodeReader(const std::string& node, spa_video_format format, uint32_t most_fps) {
  const pw::Locked locked(client_.loop());
  client_.make_stream("reader",
                      pw_properties_new(PW_KEY_MEDIA_TYPE, "Video", PW_KEY_MEDIA_CATEGORY, "Capture", PW_KEY_MEDIA_ROLE,
                                        "Camera", PW_KEY_TARGET_OBJECT, node.c_str(), nullptr));
  static pw_stream_events handlers = events();
  handlers.param_changed = [](void* user, uint32_t id, const spa_pod* param) {
    auto& self = *static_cast<NodeReader*>(user);
    if (id == SPA_PARAM_Format && param != nullptr) spa_format_video_raw_parse(param, &self.format_);
  };
  handlers.process = [](void* self) { static_cast<NodeReader*>(self)->take(); };
  pw_stream_add_listener(client_.stream(), &hook_, &handlers, this);
  std::array<uint8_t, 1024> memory{};
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, memory.data(), memory.size());
  const spa_pod* formats = taken_formats(builder, format, most_fps);
  pw_stream_connect(client_.stream(), PW_DIRECTION_INPUT, PW_ID_ANY,
                    static_cast<pw_stream_flags>(PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS), &formats, 1);
}

NodeReader::~NodeReader() { client_.end(); }

void NodeReader::take() {
  while (pw_buffer* const buffer = pw_stream_dequeue_buffer(client_.stream())) {
    const spa_data& data = buffer->buffer->datas[0];
    if (data.data != nullptr && data.chunk->size > 0) {
      const auto* bytes = static_cast<const uint8_t*>(data.data) + data.chunk->offset;
      picture_.assign(bytes, bytes + data.chunk->size);
      width_ = format_.size.width;
      ++count_;
    }
    pw_stream_queue_buffer(client_.stream(), buffer);
  }
}

bool NodeReader::has_more_than(int count, uint32_t width) {
  return comes_true([&] {
    const pw::Locked locked(client_.loop());
    return count_ > count && width_ == width;
  });
}

int NodeReader::count() {
  const pw::Locked locked(client_.loop());
  return count_;
}

std::vector<uint8_t> NodeReader::picture() {
  const pw::Locked locked(client_.loop());
  return picture_;
}

spa_video_info_raw NodeReader::format() {
  const pw::Locked locked(client_.loop());
  return format_;
}

}  // namespace texcast::test
