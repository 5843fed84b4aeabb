#include "idle_options.h"

#include <algorithm>
#include <string>
#include <utility>

#include "live/datagrams.h"
#include "play_source.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

void refuse_if(bool idle, const std::string& why) {
  if (idle) throw Error(ErrorKind::usage, why);
}

void refuse_for_captures(const StreamOptions& o, bool only_captures) {
  refuse_if(only_captures && !o.interface.empty(), "--interface is for streams: a capture comes through none");
  refuse_if(only_captures && o.timeout.has_value(), "--timeout is for streams: a capture has an end");
}

void refuse_for_presenter(const PlayOptions& o) {
  const bool draws = !o.screenshot.empty() || o.osd || o.fullscreen || o.monitor || o.scale || o.size || o.speed ||
                     o.shape.rotate || o.shape.aspect;
  refuse_if(o.no_window && draws,
            "--no-window draws nothing: it goes with none of --screenshot, --osd, --fullscreen, --monitor, --scale, "
            "--size, --speed, --rotate, --aspect (try --offscreen)");
  refuse_if(o.offscreen && (o.fullscreen || o.monitor),
            "--fullscreen and --monitor need a window: not with --offscreen");
  refuse_if((o.no_window || o.offscreen) && (o.volume || o.mute || o.no_audio),
            "only a window plays sound: --volume, --mute and --no-audio go with neither --no-window nor --offscreen");
  refuse_if(o.no_audio && (o.volume || o.mute), "--no-audio leaves nothing for --volume and --mute");
}

void refuse_for_recording(const PlayOptions& o) {
  const bool records = !o.stream.record.empty();
  const PackingOptions& packing = o.stream.packing;
  refuse_if(records && (o.sources.size() != 1 || !is_received(o.sources[0])),
            "--record is for one stream; copy files instead");
  refuse_if(records && o.loop, "--loop would record the same again and again: not with --record");
  for (const auto& [given, option] : {std::pair{packing.layout.has_value(), "--layout"},
                                      {packing.coding.has_value(), "--coding"},
                                      {packing.chunks.has_value(), "--chunks"},
                                      {packing.snappy.has_value(), "--snappy"},
                                      {packing.zstd.has_value(), "--zstd"},
                                      {packing.split.has_value(), "--split"},
                                      {packing.max_disk.has_value(), "--max-disk"},
                                      {!o.stream.device.empty(), "--device"}})
    refuse_if(!records && given, std::string(option) + " is for recordings: it goes with --record");
  refuse_if(!records && o.screenshot.empty() && o.stream.if_exists != IfExists::refuse,
            "--overwrite and --number are for files that are written: with --record or --screenshot");
}

void refuse_for_sources(const PlayOptions& o) {
  const bool is_alone = o.sources.size() == 1;
  const bool no_streams = std::ranges::none_of(o.sources, stream::is_rtp);
  const bool only_files = std::ranges::none_of(o.sources, is_received);
  const bool only_received = std::ranges::all_of(o.sources, is_received);
  refuse_if(is_alone && only_received && o.speed, "--speed is for files: a stream comes as it comes");
  refuse_if(is_alone && !only_received && o.latency, "--latency is for streams: a file has its frames in time");
  refuse_if(is_alone && stream::is_capture(o.sources[0]) && o.no_window && o.latency,
            "--latency is for real time: --no-window reads every frame of a capture as fast as possible");
  refuse_if(is_alone && !no_streams && o.loop, "--loop is for files: a stream has no end");
  refuse_if(only_files && !o.stream.key_file.empty(), "--key-file is for streams: recordings are not encrypted");
  refuse_if(only_files && (!o.stream.from.empty() || o.stream.max_size), "--from and --max-size are for streams");
  refuse_for_captures(o.stream, std::ranges::all_of(o.sources, stream::is_capture));
  refuse_if(no_streams && !o.stream.interface.empty(), "--interface is for streams: no source is one");
  refuse_if(no_streams && o.stream.timeout.has_value(), "--timeout is for streams: no source is one");
  refuse_if(only_received && (o.volume || o.mute || o.no_audio),
            "--volume, --mute and --no-audio are for files: streams have no sound yet");
}

}  // namespace

void refuse_idle(const InputOptions& o) {
  // Cameras and screens are asked for a size; "DEMUXER::DEVICE" may name one.
  const bool has_own_size = o.input != "test" && o.input != "screen" && o.input.find("::") == std::string::npos;
  refuse_if(o.size && has_own_size, "--size is for test, screen and devices: '" + o.input + "' has a size of its own");
  refuse_if(o.start > nanoseconds{} && (o.input == "test" || o.input == "screen"),
            "--start is for files: " + o.input + " begins now");
}

void refuse_idle(const InputOptions& o, const media::FrameSource& source) {
  refuse_if(o.loop && source.is_live(), "--loop is for files: '" + o.input + "' has no end");
  refuse_if(o.start > nanoseconds{} && source.is_live(), "--start is for files: '" + o.input + "' begins now");
  refuse_if(o.start > nanoseconds{} && source.is_image(), "--start is for videos: '" + o.input + "' is one picture");
}

void refuse_idle(const EncodingOptions& o) {
  refuse_if(o.tune && o.device == "cpu-reference", "--tune is for OpenCL devices: cpu-reference has one form");
}

void refuse_idle(const SendOptions& o) {
  const bool only_captures = std::ranges::all_of(o.destinations, stream::is_capture);
  refuse_if(o.if_exists != IfExists::refuse && std::ranges::none_of(o.destinations, stream::is_capture),
            "--overwrite and --number are for files that are written: no destination is a capture");
  refuse_if(only_captures && !o.interface.empty(), "--interface is for streams: a capture is a file");
  refuse_if(only_captures && o.ttl.has_value(), "--ttl is for streams: a capture is a file");
  refuse_if(only_captures && o.bands != kBandsAuto, "--bands is for real time: a capture is written frame by frame");
}

void refuse_idle(const SendOptions& o, const stream::Destinations& destinations) {
  refuse_if(o.ttl && destinations.real_time() && destinations.all_unicast(),
            "--ttl is for multicast groups, and no destination is one");
}

void refuse_idle(const PlayOptions& o) {
  refuse_for_presenter(o);
  refuse_for_recording(o);
  refuse_for_sources(o);
}

void refuse_idle(const StreamOptions& o) { refuse_for_captures(o, stream::is_capture(o.source)); }

}  // namespace texcast::cli
