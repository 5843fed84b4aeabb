#include "common/unused_options.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/service_names.h"
#include "live/datagrams.h"
#include "play/play_source.h"
#include "screen/open_capture.h"
#include "texcast/error.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::cli {
namespace {

void reject_if(bool unused, const std::string& why) {
  if (unused) throw Error(ErrorKind::usage, why);
}

void reject_for_captures(const StreamOptions& o, bool only_captures) {
  reject_if(only_captures && !o.interface.empty(), "--interface is for streams, and the source is a capture");
  reject_if(only_captures && o.timeout.has_value(), "--timeout is for streams, and the source is a capture");
}

void reject_for_presenter(const PlayOptions& o) {
  const bool draws = !o.screenshot.empty() || o.screenshot_osd || o.osd || o.fullscreen || o.monitor || o.scale ||
                     o.size || o.speed || o.shape.rotate || o.shape.aspect || o.mirror || o.part || o.exposure;
  reject_if(o.no_window && draws,
            "--no-window renders nothing and excludes --screenshot, --osd, --fullscreen, --monitor, --scale, --size, "
            "--speed, --rotate, --aspect, --mirror, --part and --exposure; try --offscreen");
  reject_if(o.bezel && !(o.part && o.part->cell),
            "--bezel lies between cells: give --part 'COLUMN,ROW of COLUMNSxROWS'");
  reject_if((o.no_window || o.offscreen) && o.vsync, "--vsync needs a window: leave out --no-window or --offscreen");
  reject_if(o.offscreen && (o.fullscreen || o.monitor),
            "--fullscreen and --monitor need a window: leave out --offscreen");
  reject_if((o.no_window || o.offscreen) && (o.volume || o.mute),
            "--volume and --mute need a window: no audio is played with --no-window or --offscreen");
  reject_if((o.no_window || o.offscreen) && o.stream.no_audio && o.stream.record.empty(),
            "--no-audio has no effect: without a window and --record there is no audio");
  reject_if(o.stream.no_audio && (o.volume || o.mute), "--no-audio excludes --volume and --mute");
}

void reject_for_recording(const PlayOptions& o) {
  const bool records = !o.stream.record.empty();
  // With --record, by key, or through --control.
  const bool may_record = records || (std::ranges::any_of(o.sources, is_received) &&
                                      (!o.stream.control.empty() || !(o.no_window || o.offscreen)));
  const PackingOptions& packing = o.stream.packing;
  reject_if(records && (o.sources.size() != 1 || !is_received(o.sources[0])),
            "--record needs exactly one source, a stream or capture; copy files instead");
  reject_if(records && o.loop, "--loop and --record exclude each other: the same would be recorded again and again");
  for (const auto& [given, option] : {std::pair{packing.layout.has_value(), "--layout"},
                                      {packing.coding.has_value(), "--coding"},
                                      {packing.chunks.has_value(), "--chunks"},
                                      {packing.snappy.has_value(), "--snappy"},
                                      {packing.zstd.has_value(), "--zstd"},
                                      {packing.split.has_value(), "--split"},
                                      {packing.max_disk.has_value(), "--max-disk"},
                                      {packing.max_files.has_value(), "--max-files"}})
    reject_if(!may_record && given, std::string(option) + " is for recordings: give --record");
  reject_if(!may_record && o.no_window && !o.stream.device.empty(),
            "--device is for recording and display: give --record, or leave out --no-window");
  reject_if(!may_record && o.screenshot.empty() && o.stream.control.empty() && o.stream.if_exists != IfExists::refuse,
            "--overwrite and --number are for files that are written: give --record or --screenshot");
}

void reject_for_clock(const PlayOptions& o) {
  const bool by_system = o.clock == PlayClock::system;
  const bool only_received = std::ranges::all_of(o.sources, is_received);
  const bool has_received = std::ranges::any_of(o.sources, is_received);
  reject_if(!by_system && o.delay, "--delay is for --clock system; --latency sets the delay of other streams");
  reject_if(!by_system && o.at, "--at is for --clock system");
  if (!by_system) return;
  reject_if(o.no_window, "--no-window shows nothing, and excludes --clock system; try --offscreen");
  reject_if(o.sources.size() > 1, "--clock system needs exactly one source");
  reject_if(o.latency.has_value(), "--clock system excludes --latency: --delay says when frames are shown");
  reject_if(o.start || o.speed, "--clock system excludes --start and --speed: --at says when the file begins");
  reject_if(only_received && o.at, "--at is for files, and the source is a stream or capture");
  reject_if(!has_received && o.delay, "--delay is for streams, and the source is a file");
  reject_if(std::ranges::any_of(o.sources, stream::is_capture),
            "--clock system is for streams and files, not captures");
  reject_if(!has_received && !o.at && !o.loop, "--clock system needs --at TIME for a file, or --loop");
}

void reject_for_sources(const PlayOptions& o) {
  const bool is_alone = o.sources.size() == 1;
  const bool no_streams = std::ranges::none_of(o.sources, stream::is_rtp);
  const bool only_files = std::ranges::none_of(o.sources, is_received);
  const bool only_received = std::ranges::all_of(o.sources, is_received);
  reject_if(only_received && o.start, "--start is for files, and the source is a stream or capture");
  reject_if(is_alone && only_received && o.speed, "--speed is for files, and the source is a stream or capture");
  reject_if(is_alone && !only_received && o.latency, "--latency is for streams, and the source is a file");
  reject_if(is_alone && stream::is_capture(o.sources[0]) && o.no_window && o.latency,
            "--latency is for real-time playback: --no-window reads a capture as fast as possible");
  reject_if(is_alone && !no_streams && o.loop, "--loop is for files, and the source is a stream");
  reject_if(only_files && !o.stream.key_file.empty(), "--key-file is for streams: files are not encrypted");
  reject_if(only_files && (!o.stream.from.empty() || o.stream.max_size),
            "--from and --max-size are for streams, and no source is one");
  reject_for_captures(o.stream, std::ranges::all_of(o.sources, stream::is_capture));
  reject_if(no_streams && !o.stream.interface.empty(), "--interface is for streams, and no source is one");
  reject_if(no_streams && o.stream.timeout.has_value(), "--timeout is for streams, and no source is one");
  reject_if(std::ranges::all_of(o.sources, stream::is_capture) && (o.volume || o.mute),
            "--volume and --mute have no effect: captures are played without audio");
}

}  // namespace

void reject_unused(const InputOptions& o) {
  const bool is_screen = screen::capture_target(o.input).has_value();
  // Capture devices ("DEMUXER::DEVICE") and the whole screen can provide a given size.
  const bool has_own_size = o.input != "test" && o.input != "screen" && o.input.find("::") == std::string::npos;
  reject_if(o.size && (has_own_size || (is_screen && o.input != "screen")),
            "--size is for test, screen and capture devices: '" + o.input + "' has a size of its own");
  reject_if(o.loop && media::is_read_once(o.input), "--loop is for files: '" + o.input + "' can be read only once");
  reject_if(o.start > nanoseconds{} && (o.input == "test" || is_screen),
            "--start is for files: '" + o.input + "' is live or generated");
  reject_if(o.cursor && !is_screen, "--cursor is for screens and windows, and '" + o.input + "' is neither");
  reject_if(!o.filters.empty() && (o.input == "test" || is_screen),
            "--vf is for files and devices, not for '" + o.input + "'; try x11grab:::0 or lavfi:testsrc2");
  reject_if(is_screen && o.picture.rotate.value_or(0) != 0,
            "--rotate is for files and devices, not for screens; use x11grab:::0 to rotate one");
  reject_if(is_screen && o.picture.deinterlace == media::Deinterlace::on,
            "--deinterlace is for files and devices: screens are progressive");
}

void reject_unused(const InputOptions& o, const media::FrameSource& source) {
  reject_if(o.loop && source.is_live(), "--loop is for files: '" + o.input + "' is live");
  reject_if(o.start > nanoseconds{} && source.is_live(), "--start is for files: '" + o.input + "' is live");
  reject_if(o.start > nanoseconds{} && source.is_image(),
            "--start is for videos: '" + o.input + "' is a single picture");
}

void reject_unused(const EncodingOptions& o) {
  reject_if(o.tune && o.device == "cpu-reference", "--tune is for OpenCL devices, not for cpu-reference");
}

void reject_unused(const WebOptions& o, bool serves_browsers) {
  for (const auto& [given, option] : {std::pair{!o.password_file.empty(), "--web-password"},
                                      {o.links.has_value(), "--web-links"},
                                      {o.most_viewers.has_value(), "--web-viewers"},
                                      {!o.certificate.empty(), "--web-cert"},
                                      {!o.key.empty(), "--web-key"}})
    reject_if(given && !serves_browsers,
              std::string(option) + " is for browsers: add a web:// address, as web://:8080");
  reject_if(!o.key.empty() && o.certificate.empty(), "--web-key is the key of a certificate: give --web-cert");
  reject_if(!o.key.empty() && o.certificate == kSelfSigned,
            "--web-cert self-signed makes its key: leave out --web-key");
}

void reject_unused(const SendOptions& o) {
  // A web:// address may also come through --control.
  reject_unused(o.web, std::ranges::any_of(o.destinations, stream::is_web) || !o.control.empty());
  reject_if(o.web_formats && std::ranges::none_of(o.destinations, stream::is_web),
            "--web-formats is for browsers: add a web:// address, as web://:8080");
  const bool only_captures = std::ranges::all_of(o.destinations, stream::is_capture);
  const bool overlay = o.input.cursor == screen::CursorMode::overlay;
  reject_if(overlay && only_captures,
            "--cursor overlay needs a receiver: with capture files alone, use --cursor picture");
  reject_if(overlay && (o.purpose == Purpose::ultragrid || (o.crypto && transport::ultragrid_mode(*o.crypto))),
            "--cursor overlay needs texcast receivers: for UltraGrid, use --cursor picture");
  reject_if(o.if_exists != IfExists::refuse && std::ranges::none_of(o.destinations, stream::is_capture),
            "--overwrite and --number are for files that are written, and no destination is a capture");
  reject_if(only_captures && !o.interface.empty(), "--interface is for streams, and all destinations are captures");
  reject_if(only_captures && o.start_when, "--start-when is for streams, and all destinations are captures");
  reject_if(only_captures && o.ttl.has_value(), "--ttl is for streams, and all destinations are captures");
}

void reject_unused(const SendOptions& o, const media::FrameSource& source) {
  reject_if(o.start_when == StartWhen::ready && source.is_live(),
            "--start-when ready is for files: '" + o.input.input + "' is live and starts at once");
}

void reject_unused(const DoctorOptions& o) {
  reject_if(!o.prepare && (o.format || !o.encoding.device.empty()),
            "--format and --device select the kernels to build: give --prepare");
  reject_if(o.prepare && o.json, "--json prints the report of the checks: leave out --prepare");
}

void reject_unused(const SendOptions& o, const stream::Destinations& destinations) {
  reject_if(o.ttl && destinations.real_time() && destinations.all_unicast(),
            "--ttl is for multicast, and no destination is a multicast group");
}

void reject_unused(const PlayOptions& o) {
  reject_for_presenter(o);
  reject_for_recording(o);
  reject_for_clock(o);
  reject_for_sources(o);
}

void reject_unused(const StreamOptions& o) { reject_for_captures(o, stream::is_capture(o.source)); }

void reject_unused(const ServeOptions& o) {
  const StreamOptions& s = o.stream;
  reject_unused(o.web, true);
  const bool is_capture = stream::is_capture(s.source), is_file = !is_received(s.source);
  reject_if(o.loop && is_capture,
            "--loop is for texture files: make one of the capture with `texcast receive pcap:FILE show.mkv`");
  reject_if(o.loop && !is_file, "--loop is for texture files, and the source is a stream");
  reject_for_captures(s, is_capture);
  reject_if(is_file && (!s.key_file.empty() || s.crypto || s.max_age),
            "--key-file, --crypto and --max-age are for streams: files are not encrypted");
  reject_if(is_file && (!s.from.empty() || s.max_size || !s.interface.empty() || s.timeout),
            "--from, --max-size, --interface and --timeout are for streams, and the source is a file");
  reject_if(is_file && (s.names.name || s.names.no_announce),
            "--name and --no-announce are for streams, and the source is a file");
}

void reject_unused(const LatencyOptions& o) {
  const bool sends = !o.destination.empty(), shows = !o.show.empty();
  const EncodingOptions usual;
  reject_if(sends && shows, "ADDRESS and --show are the two ends of a measurement: give one on each machine");
  for (const std::string& address : {o.destination, o.show})
    reject_if(!address.empty() && !stream::is_rtp(with_scheme(address)),
              "invalid address '" + address + "'; give HOST:PORT");
  reject_if(sends && (o.latency || o.window || !o.grab.empty()),
            "--latency, --window and --grab are for the receiving end");
  reject_if(shows && (o.size || o.fps || o.plain || o.lossy || o.fec.kind != transport::FecKind::automatic),
            "--size, --fps, --plain, --crf and --fec are for the sending end");
  reject_if(shows && (o.encoding.format != usual.format || o.encoding.quality != usual.quality || o.encoding.method ||
                      o.encoding.options != usual.options || !o.encoding.device.empty() || o.encoding.tune),
            "--format, --quality, --method and its options, --device and --tune are for the sending end");
  reject_if(o.window && !o.grab.empty(), "--grab uses a window anyway: leave out --window");
}

}  // namespace texcast::cli
