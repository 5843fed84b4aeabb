#include "idle_options.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "play_source.h"
#include "stream/datagrams.h"
#include "transport/address.h"

namespace texcast::cli {
namespace {

void refuse_if(bool idle, const std::string& why) {
  if (idle) throw Error(ErrorKind::usage, why);
}

void refuse_for_captures(const StreamOptions& o, bool only_captures) {
  refuse_if(only_captures && !o.interface.empty(), "--interface is for streams: a capture comes through none");
  refuse_if(only_captures && o.timeout.has_value(), "--timeout is for streams: a capture has an end");
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
  const bool only_captures =
      std::ranges::all_of(o.destinations, [](const std::string& to) { return stream::is_capture(to); });
  refuse_if(o.if_exists != IfExists::refuse &&
                std::ranges::none_of(o.destinations, [](const std::string& to) { return stream::is_capture(to); }),
            "--overwrite and --number are for files that are written: no destination is a capture");
  refuse_if(only_captures && !o.interface.empty(), "--interface is for streams: a capture is a file");
  refuse_if(only_captures && o.ttl.has_value(), "--ttl is for streams: a capture is a file");
  refuse_if(only_captures && o.bands != kBandsAuto, "--bands is for real time: a capture is written frame by frame");
  refuse_if(o.ttl && !only_captures &&
                std::ranges::none_of(o.destinations,
                                     [](const std::string& to) {
                                       return stream::is_rtp(to) && transport::resolve_address(to, false).multicast;
                                     }),
            "--ttl is for multicast groups, and no destination is one");
}

void refuse_idle(const PlayOptions& o) {
  const bool records = !o.stream.record.empty();
  const PackingOptions& packing = o.stream.packing;
  refuse_if(!records && packing.zstd.has_value(), "--zstd is for recordings: it goes with --record");
  refuse_if(!records && packing.split.has_value(), "--split is for recordings: it goes with --record");
  refuse_if(!records && !o.stream.device.empty(), "--device makes recordings: it goes with --record");
  const bool no_streams = std::ranges::none_of(o.sources, stream::is_rtp);
  const bool only_captures = std::ranges::all_of(o.sources, stream::is_capture);
  refuse_for_captures(o.stream, only_captures);
  refuse_if(no_streams && !o.stream.interface.empty(), "--interface is for streams: no source is one");
  refuse_if(no_streams && o.stream.timeout.has_value(), "--timeout is for streams: no source is one");
  refuse_if(std::ranges::all_of(o.sources, is_received) && (o.volume || o.mute || o.no_audio),
            "--volume, --mute and --no-audio are for files: streams have no sound yet");
}

void refuse_idle(const StreamOptions& o) { refuse_for_captures(o, stream::is_capture(o.source)); }

}  // namespace texcast::cli
