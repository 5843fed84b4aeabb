#include "texcast/discovery.h"

#include <vector>

#include "boundary.h"
#include "texcast/c/discovery.h"

struct texcast_stream_list {
  std::vector<texcast::FoundStream> streams{};
};

struct texcast_stream_watch {
  texcast::StreamWatch watch;
};

using namespace texcast;
using namespace texcast::c;

texcast_status texcast_find_streams(int64_t how_long_ns, texcast_stream_list** list, texcast_error* error) {
  return guarded(error, [&] {
    texcast_stream_list*& out = handle_out(list, "list");
    if (how_long_ns < 0) throw_misuse("how_long_ns is negative");
    out = new texcast_stream_list{.streams = find_streams(nanoseconds(how_long_ns))};
    return TEXCAST_OK;
  });
}

texcast_status texcast_stream_list_get(const texcast_stream_list* list, size_t index, texcast_stream_info* info,
                                       texcast_error* error) {
  return guarded(error, [&] {
    const Output out(info, "texcast_stream_info");
    const auto& streams = required(list, "list").streams;
    if (index >= streams.size()) return TEXCAST_END;
    const FoundStream& stream = streams[index];
    out.set({.struct_size = sizeof(texcast_stream_info),
             .name = stream.name.c_str(),
             .url = stream.url.c_str(),
             .network_interface = stream.interface.c_str(),
             .host = stream.host.c_str(),
             .format = stream.format.c_str(),
             .sound = stream.sound.c_str(),
             .fps = stream.fps,
             .width = stream.width,
             .height = stream.height,
             .is_encrypted = stream.encrypted,
             .is_paused = stream.paused});
    return TEXCAST_OK;
  });
}

void texcast_stream_list_destroy(texcast_stream_list* list) { delete list; }

texcast_status texcast_stream_watch_create(texcast_streams_function on_change, void* user, texcast_stream_watch** watch,
                                           texcast_error* error) {
  return guarded(error, [&] {
    texcast_stream_watch*& out = handle_out(watch, "watch");
    out = new texcast_stream_watch{StreamWatch([on_change, user](const std::vector<FoundStream>& streams) {
      const texcast_stream_list list{.streams = streams};
      if (on_change) on_change(user, &list);
    })};
    return TEXCAST_OK;
  });
}

texcast_status texcast_stream_watch_get_streams(const texcast_stream_watch* watch, texcast_stream_list** list,
                                                texcast_error* error) {
  return guarded(error, [&] {
    texcast_stream_list*& out = handle_out(list, "list");
    const StreamWatch& streams = required(watch, "watch").watch;
    if (const std::string problem = streams.problem(); !problem.empty()) throw Error(ErrorKind::network, problem);
    out = new texcast_stream_list{.streams = streams.streams()};
    return TEXCAST_OK;
  });
}

void texcast_stream_watch_destroy(texcast_stream_watch* watch) { delete watch; }
