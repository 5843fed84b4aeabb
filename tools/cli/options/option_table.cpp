#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.h"
#include "cli/command_line.h"
#include "cli/values.h"
#include "manual.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

// What the chosen subcommand does; runs after parsing, so that nothing half-parsed ever runs.
struct Action {
  std::function<int(const Commands&)> run;
  // Takes down what the command line said, before a file adds to it. Empty: no file does.
  std::function<void()> before_config;
};

// What every subcommand has.
struct CommonOptions {
  bool verbose = false;
  bool quiet = false;
  std::string config;  // empty: the usual file, if it is there
  bool no_config = false;
};

// An option whose text goes through one of values.h's parsers.
template <typename Target, typename Value>
CLI::Option* add_value(CLI::App& app, const std::string& name, Target& target, Result<Value> (*parse)(std::string_view),
                       const std::string& type, const std::string& help) {
  const std::string label = name.substr(0, name.find(' '));
  return app
      .add_option_function<std::string>(
          name,
          [&target, parse, label](const std::string& text) {
            const Result<Value> value = parse(text);
            if (!value) throw CLI::ValidationError(label, value.error().message);
            target = *value;
          },
          help)
      ->type_name(type);
}

template <typename Target>
CLI::Option* add_plain(CLI::App& app, const std::string& name, Target& target, const std::string& type,
                       const std::string& help) {
  return app.add_option(name, target, help)->type_name(type);
}

// ---- options shared by several subcommands: one meaning, one text ----

void add_device(CLI::App& app, EncodingOptions& o) {
  add_plain(
      app, "--device", o.device, "DEVICE",
      "index or part of a name that `texcast devices` shows, or cpu-reference; several with commas, or all, take turns "
      "(default: the best one)");
}

void add_lspiro(CLI::App& app, MethodOptions& options) {
  add_value(
      app, "--passes", options.passes, parse_passes, "N",
      fmt::format("with lspiro2 and lspiro3: regressions, 1 to {} (default: {})", kMaxLspiroPasses, kUsualPasses));
  add_value(app, "--radius", options.radius, parse_radius, "N",
            fmt::format("with lspiro3: codes around the end points to search, 1 to {} (default: {})", kMaxLspiroRadius,
                        kUsualRadius));
}

void add_encoding(CLI::App& app, EncodingOptions& o) {
  add_value(app, "--format", o.format, parse_texture_format, "FORMAT", list_texture_formats() + " (default: bc1)");
  add_value(app, "--quality", o.quality, parse_quality, "QUALITY",
            list_qualities(TextureFormat::bc1) + " (default: fast)");
  add_value(app, "--method", o.method, parse_method, "METHOD",
            list_methods(TextureFormat::bc1) + " (default: the quality's own)");
  app.add_flag("--black", o.options.allow_black,
               "bc1 of quality best: better text and shadows; holes where alpha is read");
  add_lspiro(app, o.options);
  add_device(app, o);
  add_value(app, "--tune", o.tune, parse_tune_mode, "WHEN",
            list_tune_modes() + ": time the kernel's forms; same bytes (default: auto)");
}

void add_json(CLI::App& app, bool& json) { app.add_flag("--json", json, "the report as one JSON document on stdout"); }

void add_start(CLI::App& app, nanoseconds& start) {
  add_value(app, "--start", start, parse_time, "TIME", "begin there: seconds or [H:]MM:SS");
}

void add_frames(CLI::App& app, std::optional<int64_t>& frames) {
  add_value(app, "--frames", frames, parse_count, "N", "stop after N frames");
}

void add_input(CLI::App& app, InputOptions& o) {
  add_plain(app, "INPUT", o.input, "INPUT",
            "file or URL for FFmpeg, test, screen[:MONITOR|:WxH+X+Y], window:TITLE, lavfi:GRAPH, DEMUXER::DEVICE")
      ->required();
}

void add_shape(CLI::App& app, media::PictureSettings& o) {
  add_value(app, "--rotate", o.rotate, parse_rotation, "DEGREES",
            "turn clockwise by 0, 90, 180 or 270 (default: as the input says)");
  add_value(app, "--aspect", o.aspect, parse_aspect, "W:H",
            "shape of the picture, 16:9 or 1.85 (default: as the input says)");
}

void add_deinterlace(CLI::App& app, media::PictureSettings& o) {
  add_value(app, "--deinterlace", o.deinterlace, parse_deinterlace, "WHEN",
            "auto (default: frames that say that they are interlaced), on (all), off");
}

void add_input_options(CLI::App& app, InputOptions& o) {
  add_start(app, o.start);
  add_frames(app, o.frames);
  add_value(app, "--fps", o.fps, parse_frame_rate, "RATE", "frames a second; files: drop or repeat frames to it");
  add_value(app, "--size", o.size, parse_size, "WxH", "size of test and screen (default: 1920x1080, the whole screen)");
  add_value(app, "--cursor", o.cursor, parse_cursor, "WHERE",
            "of screens: in the picture, overlay beside it (default of compact streams), or off");
  add_shape(app, o.picture);
  add_deinterlace(app, o.picture);
}

void add_stats(CLI::App& app, std::string& file) {
  add_plain(app, "--stats-json", file, "FILE", "append a JSON line of statistics each second (-: stdout)");
}

void add_control(CLI::App& app, std::string& path) {
  add_plain(app, "--control", path, "PATH", "a socket there, through which `texcast ctl PATH` steers this run");
}

void add_stream(CLI::App& app, StreamOptions& o, const std::string& help) {
  add_plain(app, "SOURCE", o.source, "SOURCE", help)->required();
}

void add_interface(CLI::App& app, std::string& name, const std::string& help) {
  add_plain(app, "--interface", name, "NAME", help);
}

void add_key_file(CLI::App& app, std::string& file, const std::string& help) {
  add_plain(app, "--key-file", file, "FILE", help);
}

void add_stream_options(CLI::App& app, StreamOptions& o) {
  add_frames(app, o.frames);
  add_key_file(app, o.key_file, "its first line is the passphrase; what is not sealed with it is refused");
  add_value(app, "--crypto", o.crypto, transport::parse_opened_crypto, "CIPHER",
            "UltraGrid's instead: ultragrid-gcm; forgeable: -cbc, -ctr, -cfb, -ecb");
  add_value(app, "--max-age", o.max_age, parse_max_age, "S",
            "refuse sealed sessions S seconds off our clock; 0: none (default: 60)");
  add_plain(app, "--from", o.from, "HOST[/BITS]",
            "listen to nobody else; a name, an address or a network; several times")
      ->allow_extra_args(false);
  add_value(app, "--max-size", o.max_size, parse_size, "WxH",
            "refuse larger pictures (default: 16 Mpixel, and what the GPU takes)");
  add_interface(app, o.interface, "join groups there, or hear only it; name or address (default: any)");
  app.add_flag("--no-audio", o.no_audio, "neither hear nor record the sound");
  add_value(app, "--timeout", o.timeout, parse_timeout, "S", "stop when no frame came for S seconds");
  add_stats(app, o.stats_json);
  add_control(app, o.control);
  add_json(app, o.json);
}

// The one rule for files that are written.
void add_if_exists(CLI::App& app, IfExists& if_exists) {
  CLI::Option* overwrite = app.add_flag_callback(
      "--overwrite", [&if_exists] { if_exists = IfExists::overwrite; },
      "replace files that exist (default: they are refused)");
  app.add_flag_callback(
         "--number", [&if_exists] { if_exists = IfExists::number; },
         "where there is one take the next free name (show-2.mov) or number")
      ->excludes(overwrite);
}

void add_packing(CLI::App& app, PackingOptions& o) {
  add_value(app, "--coding", o.coding, parse_file_coding, "CODING",
            "plain (default), or compact in .mkv: only what changes");
  add_value(app, "--snappy", o.snappy, parse_on_off, "on|off", "compress the blocks in .mov and .mkv (default: on)");
  add_value(app, "--chunks", o.chunks, parse_chunks, "N",
            "compress each frame in N pieces, 1 to 64 (default: by its size)");
  add_value(app, "--zstd", o.zstd, parse_on_off, "on|off", "compress the blocks in .ktx2 (default: on)");
  add_value(app, "--layout", o.layout, parse_recording_layout, "LAYOUT",
            "ycocg-bc4 in .mov, .mkv: hapq for every player (default), planes exact");
  add_value(app, "--split", o.split, parse_split, "PART",
            "begin another file (show-2.mov) at this size (4G) or length (10min)");
  add_value(app, "--max-disk", o.max_disk, parse_bytes, "BYTES",
            "end the recording when its files have so much together (500M, 4G)");
}

void add_transcoding_device(CLI::App& app, StreamOptions& o, const std::string& what) {
  add_plain(app, "--device", o.device, "DEVICE", what + ": as `texcast devices` shows, or cpu-reference");
}

void add_names(CLI::App& app, NameOptions& o) {
  add_plain(app, "--name", o.name, "NAME", "under which others find this one (default: the host's name)");
  app.add_flag("--no-announce", o.no_announce, "be found by nobody; an address always works");
}

// ---- the subcommands ----

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& summary, const std::string& example) {
  CLI::App* sub = app.add_subcommand(name, summary);
  sub->footer(example);
  return *sub;
}

// Of the program and of all its subcommands, so that they may be given before and behind its name.
constexpr const char* kCommonGroup = "common";

void add_common(CLI::App& app, CommonOptions& o) {
  CLI::Option* verbose = app.add_flag("-v,--verbose", o.verbose, "say more, for whoever looks for a fault");
  CLI::Option* quiet = app.add_flag("-q,--quiet", o.quiet, "say nothing but warnings and errors; no progress");
  CLI::Option* config = add_plain(app, "--config", o.config, "FILE",
                                  "options from FILE (default: ~/.config/texcast/config.toml, where it is there)");
  CLI::Option* no_config = app.add_flag("--no-config", o.no_config, "read no such file");
  quiet->excludes(verbose);
  no_config->excludes(config);
  for (CLI::Option* option : {verbose, quiet, config, no_config}) option->group(kCommonGroup);
}

template <typename Options>
void on_chosen(CLI::App& sub, Action& action, const std::shared_ptr<Options>& options,
               int (*Commands::*command)(const Options&)) {
  sub.callback([&action, options, command] {
    action.run = [options, command](const Commands& commands) { return (commands.*command)(*options); };
    action.before_config = [options] {
      if constexpr (requires { options->given; }) options->given = std::make_shared<const Options>(*options);
    };
  });
}

void define_devices(CLI::App& app, Action& action) {
  const auto o = std::make_shared<DevicesOptions>();
  CLI::App& sub = add_command(app, "devices", "List the OpenCL devices; * marks the one that would be used, and why",
                              "texcast devices --device pocl");
  add_device(sub, o->encoding);
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::devices);
}

void define_screens(CLI::App& app, Action& action) {
  const auto o = std::make_shared<ScreensOptions>();
  CLI::App& sub = add_command(app, "screens", "List the monitors and windows that can be captured, as INPUT names them",
                              "texcast screens");
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::screens);
}

void define_encode(CLI::App& app, Action& action) {
  const auto o = std::make_shared<EncodeOptions>();
  CLI::App& sub = add_command(app, "encode", "Compress a video or picture into a texture file",
                              "texcast encode clip.mp4 clip.mov --quality normal --psnr");
  add_input(sub, o->input);
  add_plain(sub, "OUTPUT", o->output, "OUTPUT",
            ".mov, .mkv, or .dds, .ktx2 and .astc (%05d in the name makes a sequence)")
      ->required();
  add_if_exists(sub, o->if_exists);
  add_encoding(sub, o->encoding);
  add_input_options(sub, o->input);
  add_packing(sub, o->packing);
  add_value(sub, "--crf", o->crf, parse_crf, "N",
            "in .mkv, compact frames with loss: 0 the best, 23 usual, 51 (default: without loss)");
  add_value(sub, "--audio", o->audio, parse_audio, "SOUND",
            "sound in .mov, .mkv: copy (default; pcm where it must be), pcm or none");
  add_value(sub, "--mips", o->mips, parse_mip_filter, "FILTER",
            "in .dds and .ktx2, all mip levels down to 1x1, by box or kaiser (default: one level)");
  sub.add_flag("--srgb", o->srgb, "in .dds and .ktx2, the number of the format whose values are sRGB");
  sub.add_flag("--psnr", o->psnr, "decode again and report PSNR over R, G and B against the source");
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::encode);
}

void define_decode(CLI::App& app, Action& action) {
  const auto o = std::make_shared<DecodeOptions>();
  CLI::App& sub = add_command(app, "decode", "Turn a texture file back into pictures or ordinary video, in software",
                              "texcast decode clip.mov frame_%05d.png --frames 10");
  add_plain(sub, "INPUT", o->input, "CLIP", "a texture file: .mov, .mkv, .dds, .ktx2 or .astc")->required();
  add_plain(sub, "OUTPUT", o->output, "OUTPUT",
            "PNG, y4m or anything FFmpeg writes (%05d in the name makes a sequence)")
      ->required();
  add_if_exists(sub, o->if_exists);
  add_start(sub, o->start);
  add_frames(sub, o->frames);
  add_value(sub, "--expansion", o->expansion, parse_expansion, "HOW",
            "5- and 6-bit colours to 8 bits: ffmpeg, as it decodes (default), or replicate, as GPUs do");
  add_value(sub, "--level", o->part.level, parse_index, "N",
            "of .dds and .ktx2, a mip level; 0 is the largest (default)");
  add_value(sub, "--layer", o->part.layer, parse_index, "N", "of an array in .dds and .ktx2, from 0 (default)");
  add_value(sub, "--face", o->part.face, parse_index, "N",
            "of a cube map in .dds and .ktx2: 0 +X (default), -X, +Y, -Y, +Z, 5 -Z");
  add_value(sub, "--exposure", o->exposure, parse_exposure, "STOPS",
            "linear light (bc6h) so much brighter on its way to bytes; .exr, .hdr and .pfm hold it as it is");
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::decode);
}

void define_send(CLI::App& app, Action& action) {
  const auto o = std::make_shared<SendOptions>();
  CLI::App& sub = add_command(app, "send", "Compress and stream a video over RTP/UDP, in real time",
                              "texcast send clip.mp4 rtp://192.168.1.20:5004 --loop");
  add_input(sub, o->input);
  add_plain(sub, "DEST", o->destinations, "DEST", "rtp://HOST[:PORT], a player's NAME, or pcap:FILE, unpaced")
      ->required();
  add_encoding(sub, o->encoding);
  add_input_options(sub, o->input);
  sub.add_flag("--loop", o->input.loop, "start over at the end of the input");
  sub.add_flag("--plain", o->plain, "all blocks of every frame (default: how frames differ, without loss)");
  add_value(sub, "--crf", o->crf, parse_crf, "N",
            "with loss: 0 the best, 23 usual, 51; what stands gets sharp (default: without loss)");
  add_value(sub, "--bitrate", o->bitrate, parse_bitrate, "RATE",
            "with loss, and never more than this, as 30M; MIN:MAX: as the way takes; no better than --crf");
  add_value(sub, "--for", o->purpose, parse_purpose, "PURPOSE",
            list_purposes() + ": format, loss, rate, parity (default: screens alone desktop, else texcast)");
  add_value(sub, "--refresh", o->refresh_seconds, parse_refresh, "S",
            "send all parts anew within S seconds, 0 never (groups: 5, else 0)");
  add_value(sub, "--fec", o->fec, transport::parse_fec, "SPEC",
            "against loss: auto (default: 10%), none, N%, ultragrid-rs:K:N, ultragrid-ldgm:K:M:C, mult:N");
  add_value(sub, "--retransmit", o->retransmit, parse_on_off, "on|off",
            "send lost packets again when a texcast asks (default: on; groups: off)");
  add_value(sub, "--audio", o->audio, parse_sent_audio, "SOUND",
            "of the input, to port + 2: pcm (default), opus or none");
  add_plain(sub, "--audio-source", o->audio_source, "SOURCE",
            "another sound: FILE, pulse:NAME, alsa:DEVICE, lavfi:GRAPH, test");
  add_value(sub, "--mtu", o->mtu, parse_mtu, "BYTES", "largest IP packet (default: 1500, less on narrow ways)");
  add_interface(sub, o->interface, "send through it; name or address (default: as the routes say)");
  add_value(sub, "--ttl", o->ttl, parse_ttl, "N",
            "multicast crosses N - 1 routers; 0 stays on this machine (default: 1)");
  add_key_file(sub, o->key_file, "encrypt; its first line is the passphrase");
  add_value(sub, "--crypto", o->crypto, transport::parse_crypto, "CIPHER",
            "of --key-file: texcast (default), ultragrid-gcm, -cbc, -ctr, -cfb");
  add_value(sub, "--rate", o->rate_bits_per_s, parse_rate, "RATE", "never send faster than this to each DEST, as 800M");
  add_value(sub, "--spread", o->spread, parse_part, "PART",
            "of the frame time to spread packets over (default: 0.75; loopback 0.25)");
  add_value(sub, "--bands", o->bands, parse_bands, "N",
            "parts of a frame that leave while others are encoded: auto, 1 to 16");
  add_value(sub, "--start-when", o->start_when, parse_start_when, "WHEN",
            "ready (default of files): no frame before the kernels are built, 30 s at most; or now");
  add_names(sub, o->names);
  add_if_exists(sub, o->if_exists);
  add_stats(sub, o->stats_json);
  add_control(sub, o->control);
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::send);
}

void define_play(CLI::App& app, Action& action) {
  const auto o = std::make_shared<PlayOptions>();
  CLI::App& sub =
      add_command(app, "play", "Show a stream, a capture or a texture file",
                  "texcast play rtp://:5004 --record show.mov\n"
                  "Keys: i display, f fullscreen, space pause, s screenshot, arrows seek, q quit, ? all of them");
  add_plain(sub, "SOURCE", o->sources, "SOURCE",
            "texture files, rtp://[ADDR][:PORT], a sender's NAME or pcap:FILE, in turn")
      ->required();
  add_plain(sub, "--record", o->stream.record, "FILE",
            "also write the blocks as they arrive: .mov, .mkv, .dds, .ktx2, .astc");
  add_if_exists(sub, o->stream.if_exists);
  add_packing(sub, o->stream.packing);
  add_transcoding_device(sub, o->stream,
                         "transcodes what the GPU does not take, makes Hap Q of ycocg-bc4, decodes streams with loss");
  add_plain(sub, "--screenshot", o->screenshot, "FILE", "save the last picture shown, with its display, as PNG");
  sub.add_flag("--osd", o->osd, "begin with the on-screen display");
  sub.add_flag("--fullscreen", o->fullscreen, "begin in fullscreen");
  add_value(sub, "--monitor", o->monitor, parse_monitor, "N", "open on the N-th monitor, 1 is the first");
  add_shape(sub, o->shape);
  add_value(sub, "--mirror", o->mirror, parse_mirror, "SIDES",
            "horizontal: left and right change places; vertical: top and bottom; none (default)");
  add_value(sub, "--exposure", o->exposure, parse_exposure, "STOPS", "show linear light (bc6h) so much brighter");
  add_value(sub, "--vsync", o->vsync, parse_vsync, "SYNC",
            "swap with the display: on, off, or adaptive (default: late frames at once)");
  add_value(sub, "--scale", o->scale, parse_scale, "SCALE", "fit (default), fill the window, or 1:1, a texel a pixel");
  sub.add_flag("--loop", o->loop, "start over at the end of the file or list");
  add_value(sub, "--speed", o->speed, parse_speed, "X", "of files, 0.25 to 4 (default: 1)");
  add_value(sub, "--volume", o->volume, parse_volume, "N", "0 to 100 (default: 100)");
  sub.add_flag("--mute", o->mute, "begin muted");
  add_value(sub, "--size", o->size, parse_size, "WxH", "of the window or surface (default: the picture's)");
  CLI::Option* offscreen = sub.add_flag("--offscreen", o->offscreen, "draw with the GPU, but into no window");
  sub.add_flag("--no-window", o->no_window, "draw nothing; files are read as fast as possible, every frame")
      ->excludes(offscreen);
  add_value(sub, "--latency", o->latency, parse_latency, "auto|MS",
            "of streams: as the network needs (default), 0 at once, or fixed");
  add_stream_options(sub, o->stream);
  add_names(sub, o->stream.names);
  on_chosen(sub, action, o, &Commands::play);
}

void define_receive(CLI::App& app, Action& action) {
  const auto o = std::make_shared<StreamOptions>();
  CLI::App& sub = add_command(app, "receive", "Record a stream as it arrives, with no window",
                              "texcast receive rtp://:5004 show.mov --timeout 5");
  add_stream(sub, *o, "rtp://[ADDR][:PORT] to listen, rtp://[SOURCE@]GROUP, a sender's NAME, or pcap:FILE");
  add_plain(sub, "OUTPUT", o->record, "OUTPUT",
            ".mov, .mkv, or .dds, .ktx2 and .astc (%05d in the name makes a sequence)")
      ->required();
  add_if_exists(sub, o->if_exists);
  add_packing(sub, o->packing);
  add_transcoding_device(sub, *o, "makes Hap Q of ycocg-bc4, decodes streams with loss");
  add_stream_options(sub, *o);
  add_names(sub, o->names);
  on_chosen(sub, action, o, &Commands::receive);
}

void define_list(CLI::App& app, Action& action) {
  const auto o = std::make_shared<ListOptions>();
  CLI::App& sub = add_command(app, "list", "List senders and waiting players on the local network, by name",
                              "texcast list --wait 3");
  add_value(sub, "--wait", o->wait, parse_timeout, "S", "for so long (default: until all have answered, about 1)");
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::list);
}

void define_info(CLI::App& app, Action& action) {
  const auto o = std::make_shared<InfoOptions>();
  CLI::App& sub = add_command(app, "info", "Tell what is in a texture file", "texcast info clip.mov");
  add_plain(sub, "FILE", o->file, "CLIP", "a texture file: .mov, .mkv, .dds, .ktx2 or .astc")->required();
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::info);
}

void define_verify(CLI::App& app, Action& action) {
  const auto o = std::make_shared<VerifyOptions>();
  CLI::App& sub = add_command(app, "verify", "Read every frame of texture files, and name those that are damaged",
                              "texcast verify show.mov show-2.mov");
  add_plain(sub, "FILE", o->files, "CLIP", "texture files: .mov, .mkv, .dds, .ktx2 or .astc")->required();
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::verify);
}

void define_recover(CLI::App& app, Action& action) {
  const auto o = std::make_shared<RecoverOptions>();
  CLI::App& sub =
      add_command(app, "recover", "Make a recording that was never closed whole again", "texcast recover show.mov");
  add_plain(sub, "FILE", o->file, "CLIP", "what `encode`, `receive` or `play --record` left behind: .mov or .mkv")
      ->required();
  add_plain(sub, "-o,--output", o->output, "OUTPUT",
            "write there (default: replace FILE, once all is written beside it)");
  add_if_exists(sub, o->if_exists);
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::recover);
}

void define_bench(CLI::App& app, Action& action) {
  const auto o = std::make_shared<BenchOptions>();
  CLI::App& sub = add_command(app, "bench", "Measure this machine's devices: kernels, pipeline, picture quality",
                              "texcast bench --size 3840x2160 photo.png");
  add_plain(sub, "WHAT", o->words, "WHAT",
            joined({kMeasurementNames.begin(), kMeasurementNames.end()}, ", ") +
                ", else all of them; then pictures for psnr: files that FFmpeg reads");
  add_plain(sub, "--device", o->device, "DEVICE",
            "as `texcast devices` shows; several, 0,1 or all, also together (default: the best one)");
  add_value(sub, "--source", o->source, parse_pixel_format, "PIXELFORMAT", "of the frames (default: nv12)");
  add_value(sub, "--size", o->size, parse_size, "WxH", "of the frames (default: 1920x1080)");
  add_value(sub, "--rounds", o->rounds, parse_count, "N", "of each kernel (default: 30, fewer for slow ones)");
  add_plain(sub, "--only", o->only, "TEXT", "kernels, formats, methods whose name has TEXT in it, as 'bc1 refine'");
  add_lspiro(sub, o->options);
  sub.add_flag_callback(
      "--tune", [o] { o->words.insert(o->words.begin(), "tune"); },
      "time every form of the qualities' kernels, and remember the fastest (as WHAT tune)");
  sub.add_flag("--everything", o->everything, "no time limits, and the forms that are slow on such a device too");
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::bench);
}

// `seek -5` is no option. None of `ctl` begins with a digit.
bool is_number_below_0(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && (word[1] == '.' || (word[1] >= '0' && word[1] <= '9'));
}

void define_latency(CLI::App& app, Action& action) {
  const auto o = std::make_shared<LatencyOptions>();
  CLI::App& sub =
      add_command(app, "latency", "Measure how old a picture is when it is seen, read off the picture itself",
                  "texcast latency --size 1920x1080 --fps 60");
  add_plain(sub, "ADDRESS", o->destination, "ADDRESS",
            "send there, to where `texcast latency --show` measures: rtp://HOST:PORT (default: both ends are here)");
  add_plain(sub, "--show", o->show, "ADDRESS",
            "measure what comes to rtp://:PORT from `texcast latency rtp://HOST:PORT` on another machine");
  sub.add_flag("--window", o->window, "show it in a window (default: off-screen)");
  add_plain(sub, "--grab", o->grab, "SCREEN",
            "show it in a window, and read it off the screen: screen[:MONITOR|:WxH+X+Y]; there it has to be pixel by "
            "pixel, its upper edge not covered");
  sub.add_flag("--audio", o->audio,
               "sound too: clicks, found where they go to the loudspeaker, or without a window to what stands for one");
  add_encoding(sub, o->encoding);
  add_value(sub, "--size", o->size, parse_size, "WxH", "of the picture (default: 1920x1080)");
  add_value(sub, "--fps", o->fps, parse_frame_rate, "RATE", "frames a second (default: 60)");
  add_frames(sub, o->frames);
  sub.add_flag("--plain", o->plain, "all blocks of every frame (default: how frames differ, without loss)");
  add_value(sub, "--crf", o->crf, parse_crf, "N", "with loss: 0 the best, 23 usual, 51 (default: without loss)");
  add_value(sub, "--fec", o->fec, transport::parse_fec, "SPEC", "against loss, as of send (default: auto)");
  add_value(sub, "--latency", o->latency, parse_latency, "auto|MS",
            "of the player: as the network needs (default), 0 at once, or fixed");
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::latency);
}

void define_ctl(CLI::App& app, Action& action) {
  const auto o = std::make_shared<CtlOptions>();
  CLI::App& sub = add_command(app, "ctl", "Steer a send, play or receive that runs with --control PATH",
                              "texcast ctl /tmp/player set volume 50");
  add_plain(sub, "PATH", o->path, "SOCKET", "the one of --control")->required();
  add_plain(sub, "COMMAND", o->words, "COMMAND",
            "and its words; `help` tells all that there are, `watch` prints what happens")
      ->required();
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::ctl);
}

void define_doctor(CLI::App& app, Action& action) {
  const auto o = std::make_shared<DoctorOptions>();
  CLI::App& sub = add_command(app, "doctor", "Check devices, display, sockets and fonts, and say how to mend them",
                              "texcast doctor");
  sub.add_flag("--prepare", o->prepare, "build the usual formats' kernels now, so that no later start waits for them");
  add_value(sub, "--format", o->format, parse_texture_format, "FORMAT",
            "with --prepare: of this format alone (default: bc1, ycocg-bc4, ycocg-bc4-444)");
  add_device(sub, o->encoding);
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::doctor);
}

// The table as plain data, by walking it.
CommandDoc describe(const CLI::App& app) {
  CommandDoc doc{.name = app.get_name(),
                 .about = app.get_description(),
                 .example = app.get_footer(),
                 .options = {},
                 .subcommands = {}};
  for (const CLI::Option* option : app.get_options()) {
    OptionDoc& o = doc.options.emplace_back();
    for (const std::string& name : option->get_snames()) o.short_names.push_back(name[0]);
    o.long_names = option->get_lnames();
    o.positional = option->get_positional();
    if (o.positional) o.name = option->get_name(true);
    o.required = option->get_required();
    if (option->get_type_size() != 0) o.type = option->get_type_name();
    o.about = option->get_description();
    o.repeats = option->get_expected_max() > 1;
    o.common = option->get_group() == kCommonGroup;
  }
  for (const CLI::App* sub : app.get_subcommands({})) doc.subcommands.push_back(describe(*sub));
  return doc;
}

void define_self_description(CLI::App& app, Action& action) {
  CLI::App& man = add_command(app, "man", "Print the man page", "texcast man | man -l -");
  man.callback([&app, &action] {
    action.run = [&app](const Commands&) { return fmt::print("{}", man_page(describe(app))), 0; };
  });
  const auto shell = std::make_shared<std::string>();
  CLI::App& completion =
      add_command(app, "completion", "Print a completion script for a shell", "source <(texcast completion bash)");
  add_plain(completion, "SHELL", *shell, "SHELL", "bash, zsh or fish")->required();
  completion.callback([&app, &action, shell] {
    action.run = [&app, shell](const Commands&) {
      return fmt::print("{}", completion_script(describe(app), *shell)), 0;
    };
  });
}

void define_all(CLI::App& app, Action& action, CommonOptions& common) {
  app.description("Video as GPU texture blocks: compress, stream, record and show them");
  app.set_version_flag("--version", "texcast " TEXCAST_VERSION, "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(1);
  define_devices(app, action);
  define_screens(app, action);
  define_encode(app, action);
  define_decode(app, action);
  define_send(app, action);
  define_play(app, action);
  define_receive(app, action);
  define_list(app, action);
  define_info(app, action);
  define_verify(app, action);
  define_recover(app, action);
  define_bench(app, action);
  define_latency(app, action);
  define_ctl(app, action);
  define_doctor(app, action);
  define_self_description(app, action);
  add_common(app, common);
  for (CLI::App* sub : app.get_subcommands({})) add_common(*sub, common);
}

// ---- "--": what follows is no option, whatever it looks like ----

// CLI11 takes the mark only as long as positionals are wanting, so that `verify a.mov -- -b.mov` fails. Words behind it
// begin with this character instead, with which no option begins, and lose it where they have arrived.
constexpr char kNoOption = '\x01';

std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> words;
  bool options_ended = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool number = !words.empty() && words.front() == "ctl" && is_number_below_0(word);
    if (!options_ended && word == "--")
      options_ended = true;
    else
      words.push_back(options_ended || number ? kNoOption + std::string(word) : std::string(word));
  }
  return words;
}

std::string without_mark(std::string text) {
  std::erase(text, kNoOption);
  return text;
}

void take_marked_words(CLI::App& app) {
  for (CLI::App* sub : app.get_subcommands({}))
    for (CLI::Option* option : sub->get_options())
      if (option->get_positional())
        option->transform([](const std::string& word) { return word.starts_with(kNoOption) ? word.substr(1) : word; });
}

Verbosity verbosity_of(const CommonOptions& common) {
  return common.verbose ? Verbosity::verbose : common.quiet ? Verbosity::quiet : Verbosity::normal;
}

// ---- options from a file ----

// One file, as CLI11 reads TOML: [send] has options of `send` by their long names, what stands before any section those
// of all subcommands. What the command line says goes first. Everything in it has to be known, also what is of other
// subcommands.
class ConfigFile {
 public:
  ConfigFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}
  // Throws Error{usage}, which names the file, the line and the key.
  void apply(CLI::App& app, CLI::App& chosen) const;

 private:
  CLI::Option& find(CLI::App& app, const CLI::ConfigItem& item) const;
  void take(CLI::Option& option, const CLI::ConfigItem& item) const;
  [[noreturn]] void refuse(const CLI::ConfigItem& item, const std::string& why) const;
  size_t line_of(const CLI::ConfigItem& item) const;

  const std::string path_;
  const std::string text_;
};

CLI::App* find_subcommand(CLI::App& app, const std::string& name) {
  for (CLI::App* sub : app.get_subcommands({}))
    if (sub->get_name() == name) return sub;
  return nullptr;
}

bool excluded(const CLI::Option& option) {
  return std::ranges::any_of(option.get_excludes(), [](const CLI::Option* other) { return other->count() > 0; });
}

bool opens_or_closes(const CLI::ConfigItem& item) { return item.name == "++" || item.name == "--"; }

std::string trimmed(std::string_view text, std::string_view unwanted = " \t\r") {
  const size_t begin = text.find_first_not_of(unwanted);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(unwanted) - begin + 1));
}

// 0: not found, as in a form that nobody thought of. CLI11 does not say.
size_t ConfigFile::line_of(const CLI::ConfigItem& item) const {
  const std::string section_wanted = item.parents.empty() ? "" : item.parents.front();
  const std::string key_wanted = opens_or_closes(item) ? "" : item.name;
  const std::string dotted = fmt::format("{}.{}", section_wanted, key_wanted);
  std::istringstream lines(text_);
  std::string section;
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string text = trimmed(line);
    if (text.starts_with('[')) {
      section = trimmed(text.substr(0, text.find(']')), "[ \t");
      if (key_wanted.empty() && (section == section_wanted || section.starts_with(section_wanted + "."))) return number;
      continue;
    }
    const std::string key = trimmed(trimmed(text.substr(0, text.find('='))), "\"'");
    if (key_wanted.empty() || key.empty()) continue;
    if ((section == section_wanted && key == key_wanted) || (section.empty() && key == dotted)) return number;
  }
  return 0;
}

void ConfigFile::refuse(const CLI::ConfigItem& item, const std::string& why) const {
  const size_t line = line_of(item);
  throw Error(ErrorKind::usage, fmt::format("{}{}: {}", path_, line == 0 ? "" : fmt::format(":{}", line), why));
}

CLI::Option& ConfigFile::find(CLI::App& app, const CLI::ConfigItem& item) const {
  CLI::App* where = &app;
  if (!item.parents.empty()) where = find_subcommand(app, item.parents.front());
  if (where == nullptr || item.parents.size() > 1)
    refuse(item, fmt::format("'{}' is no subcommand", joined(item.parents, ".")));
  CLI::Option* option = where->get_option_no_throw("--" + item.name);
  const std::vector<std::string> never = {"help", "version", "config", "no-config"};
  if (option == nullptr || std::ranges::find(never, item.name) != never.end() ||
      (where != &app && option->get_group() == kCommonGroup))
    refuse(item, fmt::format("'{}' is no option of {}", item.name,
                             where == &app ? "all subcommands; those of one stand under its name, as [send]"
                                           : "texcast " + where->get_name()));
  return *option;
}

void ConfigFile::take(CLI::Option& option, const CLI::ConfigItem& item) const {
  if (option.count() > 0 || excluded(option)) return;  // the command line goes first
  try {
    if (option.get_items_expected_max() == 0) {
      option.add_result(option.get_flag_value(item.name, CLI::ConfigTOML().to_flag(item)));
    } else {
      if (static_cast<int>(item.inputs.size()) > option.get_items_expected_max())
        refuse(item, fmt::format("'{}' is given twice, or has several values", item.name));
      for (const std::string& input : item.inputs) option.add_result(input);
    }
    option.run_callback();
  } catch (const CLI::Error& error) {
    refuse(item, fmt::format("'{}': {}", item.name, error.what()));
  }
}

void ConfigFile::apply(CLI::App& app, CLI::App& chosen) const {
  std::istringstream lines(text_);
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(lines);
  } catch (const CLI::Error& error) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", path_, error.what()));
  }
  for (const CLI::ConfigItem& item : items) {
    if (opens_or_closes(item)) {
      if (item.parents.size() != 1 || find_subcommand(app, item.parents.front()) == nullptr)
        refuse(item, fmt::format("'{}' is no subcommand", joined(item.parents, ".")));
      continue;
    }
    CLI::Option& option = find(app, item);
    if (item.parents.empty()) {
      // Given behind the subcommand's name it is that one's.
      const CLI::Option* own = chosen.get_option("--" + item.name);
      if (own->count() == 0 && !excluded(*own)) take(option, item);
    } else if (item.parents.front() == chosen.get_name()) {
      take(option, item);
    }
  }
}

std::string usual_config() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config != nullptr && *config == '/') return std::string(config) + "/texcast/config.toml";
  return home != nullptr && *home == '/' ? std::string(home) + "/.config/texcast/config.toml" : "";
}

void take_config(CLI::App& app, const CommonOptions& common) {
  if (common.no_config) return;
  const std::string path = common.config.empty() ? usual_config() : common.config;
  std::error_code error;
  if (common.config.empty() && !std::filesystem::exists(path, error)) return;
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path, error))
    throw Error(ErrorKind::input, fmt::format("cannot read options from '{}' (--config)", path));
  log_debug("options from {}", path);
  ConfigFile(path, text).apply(app, *app.get_subcommands().front());
}

// ---- wrong usage ----

// The name of an option that was given twice, where it has one value or none. Which of the two was meant is not
// guessed.
std::string given_twice(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands())
    for (const CLI::Option* option : sub->get_options())
      if (!option->get_positional() && option->count() > 1 && option->get_expected_max() <= 1)
        return option->get_name();
  return {};
}

// One line that says what was wrong and where to read on.
int wrong_usage(const CLI::App& app, const std::string& error, bool lacks_value = false) {
  const auto chosen = app.get_subcommands();
  const std::string where = chosen.empty() ? "texcast" : "texcast " + chosen.front()->get_name();
  std::string what = without_mark(error);
  if (const std::string twice = given_twice(app); !twice.empty())
    what = twice + " was given twice";
  else if (chosen.empty())
    what = app.remaining().empty() ? "say which subcommand"
                                   : fmt::format("'{}' is no subcommand", without_mark(app.remaining().front()));
  else if (lacks_value)
    what = what.substr(0, what.find(':')) + " needs a value";
  if (const size_t end = what.find('\n'); end != std::string::npos) what.resize(end);
  std::fputs(fmt::format("texcast: {} (see: {} --help)\n", what, where).c_str(), stderr);
  return static_cast<int>(ErrorKind::usage);
}

}  // namespace

int run_command_line(int argc, const char* const* argv, const Commands& commands) {
  CLI::App app;
  app.name("texcast");
  Action action;
  CommonOptions common;
  define_all(app, action, common);
  take_marked_words(app);
  try {
    std::vector<std::string> words = words_of(argc, argv);
    std::ranges::reverse(words);  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::CallForVersion& version) {
    return fmt::print("{}\n", version.what()), 0;
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return fmt::print("{}", help_text(describe(chosen.empty() ? app : *chosen.front()))), 0;
  } catch (const CLI::ParseError& error) {
    return wrong_usage(app, error.what(), dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr);
  }
  if (!given_twice(app).empty()) return wrong_usage(app, "");
  set_verbosity(verbosity_of(common));
  if (action.before_config) {
    action.before_config();
    take_config(app, common);
    set_verbosity(verbosity_of(common));
  }
  return action.run(commands);
}

}  // namespace texcast::cli
