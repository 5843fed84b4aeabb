#include "common/unused_options.h"

#include <algorithm>
#include <string>
#include <utility>

#include "live/datagrams.h"
#include "play/play_source.h"
#include "screen/open_capture.h"
#include "texcast/error.h"
#include "transport/ultragrid_cipher.h"

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
                     o.shape.rotate || o.shape.aspect || o.mirror || o.exposure;
  refuse_if(o.no_window && draws,
            "--no-window draws nothing: it goes with none of --screenshot, --osd, --fullscreen, --monitor, --scale, "
            "--size, --speed, --rotate, --aspect, --mirror, --exposure (try --offscreen)");
  refuse_if((o.no_window || o.offscreen) && o.vsync, "--vsync is for windows: not with --no-window or --offscreen");
  refuse_if(o.offscreen && (o.fullscreen || o.monitor),
            "--fullscreen and --monitor need a window: not with --offscreen");
  refuse_if((o.no_window || o.offscreen) && (o.volume || o.mute),
            "only a window plays sound: --volume and --mute go with neither --no-window nor --offscreen");
  refuse_if((o.no_window || o.offscreen) && o.stream.no_audio && o.stream.record.empty(),
            "--no-audio with neither a window nor --record: there is no sound anyway");
  refuse_if(o.stream.no_audio && (o.volume || o.mute), "--no-audio leaves nothing for --volume and --mute");
}

void refuse_for_recording(const PlayOptions& o) {
  const bool records = !o.stream.record.empty();
  // By key, or by whoever steers.
  const bool may_record = records || (std::ranges::any_of(o.sources, is_received) &&
                                      (!o.stream.control.empty() || !(o.no_window || o.offscreen)));
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
                                      {packing.max_files.has_value(), "--max-files"}})
    refuse_if(!may_record && given, std::string(option) + " is for recordings: it goes with --record");
  refuse_if(!may_record && o.no_window && !o.stream.device.empty(),
            "--device is for recordings and for what is shown: it goes with --record or without --no-window");
  refuse_if(!may_record && o.screenshot.empty() && o.stream.control.empty() && o.stream.if_exists != IfExists::refuse,
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
  refuse_if(std::ranges::all_of(o.sources, stream::is_capture) && (o.volume || o.mute),
            "--volume and --mute are for sound: a capture has none");
}

}  // namespace

void reject_unused(const InputOptions& o) {
  const bool is_screen = screen::capture_target(o.input).has_value();
  // Cameras and the screen are asked for a size; "DEMUXER::DEVICE" may name one.
  const bool has_own_size = o.input != "test" && o.input != "screen" && o.input.find("::") == std::string::npos;
  refuse_if(o.size && (has_own_size || (is_screen && o.input != "screen")),
            "--size is for test, screen and devices: '" + o.input + "' has a size of its own");
  refuse_if(o.start > nanoseconds{} && (o.input == "test" || is_screen),
            "--start is for files: " + o.input + " begins now");
  refuse_if(o.cursor && !is_screen, "--cursor is for screens and windows: '" + o.input + "' is neither");
  refuse_if(is_screen && o.picture.rotate.value_or(0) != 0,
            "--rotate is for files and devices: a screen is upright (x11grab:::0 can be turned)");
  refuse_if(is_screen && o.picture.deinterlace == media::Deinterlace::on,
            "--deinterlace is for files and devices: a screen has no fields");
}

void reject_unused(const InputOptions& o, const media::FrameSource& source) {
  refuse_if(o.loop && source.is_live(), "--loop is for files: '" + o.input + "' has no end");
  refuse_if(o.start > nanoseconds{} && source.is_live(), "--start is for files: '" + o.input + "' begins now");
  refuse_if(o.start > nanoseconds{} && source.is_image(), "--start is for videos: '" + o.input + "' is one picture");
}

void reject_unused(const EncodingOptions& o) {
  refuse_if(o.tune && o.device == "cpu-reference", "--tune is for OpenCL devices: cpu-reference has one form");
}

void reject_unused(const SendOptions& o) {
  const bool only_captures = std::ranges::all_of(o.destinations, stream::is_capture);
  const bool beside = o.input.cursor == screen::CursorMode::overlay;
  refuse_if(beside && only_captures, "--cursor overlay is for receivers: a capture alone has it in the picture");
  refuse_if(beside && (o.purpose == Purpose::ultragrid || (o.crypto && transport::ultragrid_mode(*o.crypto))),
            "--cursor overlay is for texcasts: UltraGrid shows what is in the picture");
  refuse_if(o.if_exists != IfExists::refuse && std::ranges::none_of(o.destinations, stream::is_capture),
            "--overwrite and --number are for files that are written: no destination is a capture");
  refuse_if(only_captures && !o.interface.empty(), "--interface is for streams: a capture is a file");
  refuse_if(only_captures && o.start_when, "--start-when is for real time: a capture is written frame by frame");
  refuse_if(only_captures && o.ttl.has_value(), "--ttl is for streams: a capture is a file");
}

void reject_unused(const SendOptions& o, const media::FrameSource& source) {
  refuse_if(o.start_when == StartWhen::ready && source.is_live(),
            "--start-when ready is for files: '" + o.input.input + "' is live, and begins now");
}

void reject_unused(const DoctorOptions& o) {
  refuse_if(!o.prepare && (o.format || !o.encoding.device.empty()),
            "--format and --device say which kernels are built: they go with --prepare");
  refuse_if(o.prepare && o.json, "--json is the report of the checks: it does not go with --prepare");
}

void reject_unused(const SendOptions& o, const stream::Destinations& destinations) {
  refuse_if(o.ttl && destinations.real_time() && destinations.all_unicast(),
            "--ttl is for multicast groups, and no destination is one");
}

void reject_unused(const PlayOptions& o) {
  refuse_for_presenter(o);
  refuse_for_recording(o);
  refuse_for_sources(o);
}

void reject_unused(const StreamOptions& o) { refuse_for_captures(o, stream::is_capture(o.source)); }

void reject_unused(const LatencyOptions& o) {
  const bool sends = !o.destination.empty(), shows = !o.show.empty();
  const EncodingOptions usual;
  refuse_if(sends && shows, "an address to send to and --show are the two ends: one on each machine");
  for (const std::string& address : {o.destination, o.show})
    refuse_if(!address.empty() && !stream::is_rtp(address), "'" + address + "' is no address: rtp://HOST:PORT");
  refuse_if(sends && (o.latency || o.window || !o.grab.empty()),
            "--latency, --window and --grab are for the end that shows");
  refuse_if(shows && (o.size || o.fps || o.plain || o.lossy || o.fec.kind != transport::FecKind::automatic),
            "--size, --fps, --plain, --crf and --fec are for the end that sends");
  refuse_if(shows && (o.encoding.format != usual.format || o.encoding.quality != usual.quality || o.encoding.method ||
                      o.encoding.options != usual.options || !o.encoding.device.empty() || o.encoding.tune),
            "--format, --quality, --method and its options, --device and --tune are for the end that sends");
  refuse_if(o.window && !o.grab.empty(), "--grab is of a window anyway: --window says nothing more");
}

}  // namespace texcast::cli
