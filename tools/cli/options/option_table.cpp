// The one table of subcommands and options. Each row has the option's names, the kind of its value, what help says of
// it, and what takes the value.
#include <fmt/core.h>

#include "cli/values.h"
#include "media/recorder.h"
#include "option_list.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

Option& add(Subcommand& sub, Option option) { return sub.options.emplace_back(std::move(option)); }

// An option whose text goes through one of values.h's parsers.
template <typename Target, typename Value>
Option& add_value(Subcommand& sub, const std::string& names, Target& target, Result<Value> (*parse)(std::string_view),
                  const std::string& type, const std::string& about) {
  return add(sub, {.names = names,
                   .type = type,
                   .about = about,
                   .take = [&target, parse](const std::vector<std::string>& values) -> std::string {
                     const Result<Value> value = parse(values.back());
                     if (!value) return value.error().message;
                     target = *value;
                     return "";
                   }});
}

// Text as it is.
template <typename Text>
Option& add_plain(Subcommand& sub, const std::string& names, Text& target, const std::string& type,
                  const std::string& about) {
  return add(sub,
             {.names = names, .type = type, .about = about, .take = [&target](const std::vector<std::string>& values) {
                target = values.back();
                return std::string();
              }});
}
// One that is given several times.
Option& add_plain(Subcommand& sub, const std::string& names, std::vector<std::string>& target, const std::string& type,
                  const std::string& about) {
  return add(sub, {.names = names,
                   .type = type,
                   .about = about,
                   .take =
                       [&target](const std::vector<std::string>& values) {
                         target = values;
                         return std::string();
                       },
                   .repeats = true});
}

Option& add_flag(Subcommand& sub, const std::string& names, const std::string& about,
                 const std::function<void()>& on_given) {
  return add(sub, {.names = names, .type = "", .about = about, .take = [on_given](const std::vector<std::string>&) {
                     on_given();
                     return std::string();
                   }});
}
Option& add_flag(Subcommand& sub, const std::string& names, bool& target, const std::string& about) {
  return add_flag(sub, names, about, [&target] { target = true; });
}

// ---- options shared by several subcommands: one meaning, one text ----

void add_device(Subcommand& sub, EncodingOptions& o) {
  add_plain(
      sub, "--device", o.device, "DEVICE",
      "index or part of a name that `texcast devices` shows, or cpu-reference; several with commas, or all, take turns "
      "(default: the best one)");
}

void add_lspiro(Subcommand& sub, MethodOptions& options) {
  add_value(
      sub, "--passes", options.passes, parse_passes, "N",
      fmt::format("with lspiro2 and lspiro3: regressions, 1 to {} (default: {})", kMaxLspiroPasses, kUsualPasses));
  add_value(sub, "--radius", options.radius, parse_radius, "N",
            fmt::format("with lspiro3: codes around the end points to search, 1 to {} (default: {})", kMaxLspiroRadius,
                        kUsualRadius));
}

void add_encoding(Subcommand& sub, EncodingOptions& o) {
  add_value(sub, "--format", o.format, parse_texture_format, "FORMAT", list_texture_formats() + " (default: bc1)");
  add_value(sub, "--quality", o.quality, parse_quality, "QUALITY",
            list_qualities(TextureFormat::bc1) + " (default: fast)");
  add_value(sub, "--method", o.method, parse_method, "METHOD",
            list_methods(TextureFormat::bc1) + " (default: the quality's own)");
  add_flag(sub, "--black", o.options.allow_black,
           "bc1 of quality best: better text and shadows; holes where alpha is read");
  add_lspiro(sub, o.options);
  add_device(sub, o);
  add_value(sub, "--tune", o.tune, parse_tune_mode, "WHEN",
            list_tune_modes() + ": time the kernel's forms; same bytes (default: auto)");
}

void add_json(Subcommand& sub, bool& json) {
  add_flag(sub, "--json", json, "the report as one JSON document on stdout");
}

void add_start(Subcommand& sub, nanoseconds& start) {
  add_value(sub, "--start", start, parse_time, "TIME", "begin there: seconds or [H:]MM:SS");
}

void add_frames(Subcommand& sub, std::optional<int64_t>& frames) {
  add_value(sub, "--frames", frames, parse_count, "N", "stop after N frames");
}

void add_input(Subcommand& sub, InputOptions& o) {
  add_plain(sub, "INPUT", o.input, "INPUT",
            "file or URL for FFmpeg, test, screen[:MONITOR|:WxH+X+Y], window:TITLE, lavfi:GRAPH, DEMUXER::DEVICE")
      .required = true;
}

void add_shape(Subcommand& sub, media::PictureSettings& o) {
  add_value(sub, "--rotate", o.rotate, parse_rotation, "DEGREES",
            "turn clockwise by 0, 90, 180 or 270 (default: as the input says)");
  add_value(sub, "--aspect", o.aspect, parse_aspect, "W:H",
            "shape of the picture, 16:9 or 1.85 (default: as the input says)");
}

void add_deinterlace(Subcommand& sub, media::PictureSettings& o) {
  add_value(sub, "--deinterlace", o.deinterlace, parse_deinterlace, "WHEN",
            "auto (default: frames that say that they are interlaced), on (all), off");
}

void add_input_options(Subcommand& sub, InputOptions& o) {
  add_start(sub, o.start);
  add_frames(sub, o.frames);
  add_value(sub, "--fps", o.fps, parse_frame_rate, "RATE", "frames a second; files: drop or repeat frames to it");
  add_value(sub, "--size", o.size, parse_size, "WxH", "size of test and screen (default: 1920x1080, the whole screen)");
  add_value(sub, "--cursor", o.cursor, parse_cursor, "WHERE",
            "of screens: in the picture, overlay beside it (default of compact streams), or off");
  add_shape(sub, o.picture);
  add_deinterlace(sub, o.picture);
}

void add_stats(Subcommand& sub, std::string& file) {
  add_plain(sub, "--stats-json", file, "FILE", "append a JSON line of statistics each second (-: stdout)");
}

void add_control(Subcommand& sub, std::string& path) {
  add_plain(sub, "--control", path, "PATH", "a socket there, through which `texcast ctl PATH` steers this run");
}

void add_stream(Subcommand& sub, StreamOptions& o, const std::string& help) {
  add_plain(sub, "SOURCE", o.source, "SOURCE", help).required = true;
}

void add_interface(Subcommand& sub, std::string& name, const std::string& help) {
  add_plain(sub, "--interface", name, "NAME", help);
}

void add_key_file(Subcommand& sub, std::string& file, const std::string& help) {
  add_plain(sub, "--key-file", file, "FILE", help);
}

void add_stream_options(Subcommand& sub, StreamOptions& o) {
  add_frames(sub, o.frames);
  add_key_file(sub, o.key_file, "its first line is the passphrase; what is not sealed with it is refused");
  add_value(sub, "--crypto", o.crypto, transport::parse_opened_crypto, "CIPHER",
            "UltraGrid's instead: ultragrid-gcm; forgeable: -cbc, -ctr, -cfb, -ecb");
  add_value(sub, "--max-age", o.max_age, parse_max_age, "S",
            "refuse sealed sessions S seconds off our clock; 0: none (default: 60)");
  add_plain(sub, "--from", o.from, "HOST[/BITS]",
            "listen to nobody else; a name, an address or a network; several times");
  add_value(sub, "--max-size", o.max_size, parse_size, "WxH",
            "refuse larger pictures (default: 16 Mpixel, and what the GPU takes)");
  add_interface(sub, o.interface, "join groups there, or hear only it; name or address (default: any)");
  add_flag(sub, "--no-audio", o.no_audio, "neither hear nor record the sound");
  add_value(sub, "--timeout", o.timeout, parse_timeout, "S", "stop when no frame came for S seconds");
  add_stats(sub, o.stats_json);
  add_control(sub, o.control);
  add_json(sub, o.json);
}

// The one rule for files that are written.
void add_if_exists(Subcommand& sub, IfExists& if_exists) {
  add_flag(sub, "--overwrite", "replace files that exist (default: they are refused)",
           [&if_exists] { if_exists = IfExists::overwrite; });
  add_flag(sub, "--number", "where there is one take the next free name (show-2.mov) or number", [&if_exists] {
    if_exists = IfExists::number;
  }).excludes = "--overwrite";
}

void add_packing(Subcommand& sub, PackingOptions& o) {
  add_value(sub, "--coding", o.coding, parse_file_coding, "CODING",
            "plain (default), or compact in .mkv: only what changes");
  add_value(sub, "--snappy", o.snappy, parse_on_off, "on|off", "compress the blocks in .mov and .mkv (default: on)");
  add_value(sub, "--chunks", o.chunks, parse_chunks, "N",
            "compress each frame in N pieces, 1 to 64 (default: by its size)");
  add_value(sub, "--zstd", o.zstd, parse_on_off, "on|off", "compress the blocks in .ktx2 (default: on)");
  add_value(sub, "--layout", o.layout, parse_recording_layout, "LAYOUT",
            "ycocg-bc4 in .mov, .mkv: hapq for every player (default), planes exact");
  add_value(sub, "--split", o.split, parse_split, "PART",
            "begin another file (show-2.mov) at this size (4G) or length (10min)");
  add_value(sub, "--max-disk", o.max_disk, parse_bytes, "BYTES",
            "end the recording when its files have so much together (500M, 4G)");
}

// Of streams, whose textures may change.
void add_max_files(Subcommand& sub, PackingOptions& o) {
  add_value(sub, "--max-files", o.max_files, parse_count, "N",
            fmt::format("files that a recording begins, as the stream changes its format or size (default: {})",
                        media::kUsualFiles));
}

void add_transcoding_device(Subcommand& sub, StreamOptions& o, const std::string& what) {
  add_plain(sub, "--device", o.device, "DEVICE", what + ": as `texcast devices` shows, or cpu-reference");
}

void add_names(Subcommand& sub, NameOptions& o) {
  add_plain(sub, "--name", o.name, "NAME", "under which others find this one (default: the host's name)");
  add_flag(sub, "--no-announce", o.no_announce, "be found by nobody; an address always works");
}

// ---- the subcommands ----

Subcommand command(std::string name, std::string about, std::string example) {
  return {.name = std::move(name), .about = std::move(about), .example = std::move(example)};
}

// The subcommand, which has options by now.
template <typename Options>
Subcommand chosen(Subcommand sub, const std::shared_ptr<Options>& options, int (*Commands::*run)(const Options&)) {
  sub.run = [options, run](const Commands& commands, const auto&) { return (commands.*run)(*options); };
  sub.before_config = [options] {
    if constexpr (requires { options->given; }) options->given = std::make_shared<const Options>(*options);
  };
  return sub;
}

Subcommand define_devices() {
  const auto o = std::make_shared<DevicesOptions>();
  Subcommand sub = command("devices", "List the OpenCL devices; * marks the one that would be used, and why",
                           "texcast devices --device pocl");
  add_device(sub, o->encoding);
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::devices);
}

Subcommand define_screens() {
  const auto o = std::make_shared<ScreensOptions>();
  Subcommand sub =
      command("screens", "List the monitors and windows that can be captured, as INPUT names them", "texcast screens");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::screens);
}

Subcommand define_encode() {
  const auto o = std::make_shared<EncodeOptions>();
  Subcommand sub = command("encode", "Compress a video or picture into a texture file",
                           "texcast encode clip.mp4 clip.mov --quality normal --psnr");
  add_input(sub, o->input);
  add_plain(sub, "OUTPUT", o->output, "OUTPUT",
            ".mov, .mkv, or .dds, .ktx2 and .astc (%05d in the name makes a sequence)")
      .required = true;
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
  add_flag(sub, "--srgb", o->srgb, "in .dds and .ktx2, the number of the format whose values are sRGB");
  add_flag(sub, "--psnr", o->psnr, "decode again and report PSNR over R, G and B against the source");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::encode);
}

Subcommand define_decode() {
  const auto o = std::make_shared<DecodeOptions>();
  Subcommand sub = command("decode", "Turn a texture file back into pictures or ordinary video, in software",
                           "texcast decode clip.mov frame_%05d.png --frames 10");
  add_plain(sub, "INPUT", o->input, "CLIP", "a texture file: .mov, .mkv, .dds, .ktx2 or .astc").required = true;
  add_plain(sub, "OUTPUT", o->output, "OUTPUT",
            "PNG, y4m or anything FFmpeg writes (%05d in the name makes a sequence)")
      .required = true;
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
  return chosen(std::move(sub), o, &Commands::decode);
}

Subcommand define_send() {
  const auto o = std::make_shared<SendOptions>();
  Subcommand sub = command("send", "Compress and stream a video over RTP/UDP, in real time",
                           "texcast send clip.mp4 rtp://192.168.1.20:5004 --loop");
  add_input(sub, o->input);
  add_plain(sub, "DEST", o->destinations, "DEST", "rtp://HOST[:PORT], a player's NAME, or pcap:FILE, unpaced")
      .required = true;
  add_encoding(sub, o->encoding);
  add_input_options(sub, o->input);
  add_flag(sub, "--loop", o->input.loop, "start over at the end of the input");
  add_flag(sub, "--plain", o->plain, "all blocks of every frame (default: how frames differ, without loss)");
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
  return chosen(std::move(sub), o, &Commands::send);
}

Subcommand define_play() {
  const auto o = std::make_shared<PlayOptions>();
  Subcommand sub =
      command("play", "Show a stream, a capture or a texture file",
              "texcast play rtp://:5004 --record show.mov\n"
              "Keys: i display, f fullscreen, space pause, s screenshot, arrows seek, q quit, ? all of them");
  add_plain(sub, "SOURCE", o->sources, "SOURCE",
            "texture files, rtp://[ADDR][:PORT], a sender's NAME or pcap:FILE, in turn")
      .required = true;
  add_plain(sub, "--record", o->stream.record, "FILE",
            "also write the blocks as they arrive: .mov, .mkv, .dds, .ktx2, .astc");
  add_if_exists(sub, o->stream.if_exists);
  add_packing(sub, o->stream.packing);
  add_max_files(sub, o->stream.packing);
  add_transcoding_device(sub, o->stream,
                         "transcodes what the GPU does not take, makes Hap Q of ycocg-bc4, decodes streams with loss");
  add_plain(sub, "--screenshot", o->screenshot, "FILE", "save the last picture shown, with its display, as PNG");
  add_flag(sub, "--osd", o->osd, "begin with the on-screen display");
  add_flag(sub, "--fullscreen", o->fullscreen, "begin in fullscreen");
  add_value(sub, "--monitor", o->monitor, parse_monitor, "N", "open on the N-th monitor, 1 is the first");
  add_shape(sub, o->shape);
  add_value(sub, "--mirror", o->mirror, parse_mirror, "SIDES",
            "horizontal: left and right change places; vertical: top and bottom; none (default)");
  add_value(sub, "--exposure", o->exposure, parse_exposure, "STOPS", "show linear light (bc6h) so much brighter");
  add_value(sub, "--vsync", o->vsync, parse_vsync, "SYNC",
            "swap with the display: on, off, or adaptive (default: late frames at once)");
  add_value(sub, "--scale", o->scale, parse_scale, "SCALE", "fit (default), fill the window, or 1:1, a texel a pixel");
  add_flag(sub, "--loop", o->loop, "start over at the end of the file or list");
  add_value(sub, "--speed", o->speed, parse_speed, "X", "of files, 0.25 to 4 (default: 1)");
  add_value(sub, "--volume", o->volume, parse_volume, "N", "0 to 100 (default: 100)");
  add_flag(sub, "--mute", o->mute, "begin muted");
  add_value(sub, "--size", o->size, parse_size, "WxH", "of the window or surface (default: the picture's)");
  add_flag(sub, "--offscreen", o->offscreen, "draw with the GPU, but into no window");
  add_flag(sub, "--no-window", o->no_window, "draw nothing; files are read as fast as possible, every frame").excludes =
      "--offscreen";
  add_value(sub, "--latency", o->latency, parse_latency, "auto|MS",
            "of streams: as the network needs (default), 0 at once, or fixed");
  add_stream_options(sub, o->stream);
  add_names(sub, o->stream.names);
  return chosen(std::move(sub), o, &Commands::play);
}

Subcommand define_receive() {
  const auto o = std::make_shared<StreamOptions>();
  Subcommand sub = command("receive", "Record a stream as it arrives, with no window",
                           "texcast receive rtp://:5004 show.mov --timeout 5");
  add_stream(sub, *o, "rtp://[ADDR][:PORT] to listen, rtp://[SOURCE@]GROUP, a sender's NAME, or pcap:FILE");
  add_plain(sub, "OUTPUT", o->record, "OUTPUT",
            ".mov, .mkv, or .dds, .ktx2 and .astc (%05d in the name makes a sequence)")
      .required = true;
  add_if_exists(sub, o->if_exists);
  add_packing(sub, o->packing);
  add_max_files(sub, o->packing);
  add_transcoding_device(sub, *o, "makes Hap Q of ycocg-bc4, decodes streams with loss");
  add_stream_options(sub, *o);
  add_names(sub, o->names);
  return chosen(std::move(sub), o, &Commands::receive);
}

Subcommand define_list() {
  const auto o = std::make_shared<ListOptions>();
  Subcommand sub =
      command("list", "List senders and waiting players on the local network, by name", "texcast list --wait 3");
  add_value(sub, "--wait", o->wait, parse_timeout, "S", "for so long (default: until all have answered, about 1)");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::list);
}

Subcommand define_info() {
  const auto o = std::make_shared<InfoOptions>();
  Subcommand sub = command("info", "Tell what is in a texture file", "texcast info clip.mov");
  add_plain(sub, "FILE", o->file, "CLIP", "a texture file: .mov, .mkv, .dds, .ktx2 or .astc").required = true;
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::info);
}

Subcommand define_verify() {
  const auto o = std::make_shared<VerifyOptions>();
  Subcommand sub = command("verify", "Read every frame of texture files, and name those that are damaged",
                           "texcast verify show.mov show-2.mov");
  add_plain(sub, "FILE", o->files, "CLIP", "texture files: .mov, .mkv, .dds, .ktx2 or .astc").required = true;
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::verify);
}

Subcommand define_recover() {
  const auto o = std::make_shared<RecoverOptions>();
  Subcommand sub = command("recover", "Make a recording that was never closed whole again", "texcast recover show.mov");
  add_plain(sub, "FILE", o->file, "CLIP", "what `encode`, `receive` or `play --record` left behind: .mov or .mkv")
      .required = true;
  add_plain(sub, "-o,--output", o->output, "OUTPUT",
            "write there (default: replace FILE, once all is written beside it)");
  add_if_exists(sub, o->if_exists);
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::recover);
}

Subcommand define_bench() {
  const auto o = std::make_shared<BenchOptions>();
  Subcommand sub = command("bench", "Measure this machine's devices: kernels, pipeline, picture quality",
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
  add_flag(sub, "--tune", "time every form of the qualities' kernels, and remember the fastest (as WHAT tune)",
           [o] { o->words.insert(o->words.begin(), "tune"); });
  add_flag(sub, "--everything", o->everything, "no time limits, and the forms that are slow on such a device too");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::bench);
}

Subcommand define_latency() {
  const auto o = std::make_shared<LatencyOptions>();
  Subcommand sub = command("latency", "Measure how old a picture is when it is seen, read off the picture itself",
                           "texcast latency --size 1920x1080 --fps 60");
  add_plain(sub, "ADDRESS", o->destination, "ADDRESS",
            "send there, to where `texcast latency --show` measures: rtp://HOST:PORT (default: both ends are here)");
  add_plain(sub, "--show", o->show, "ADDRESS",
            "measure what comes to rtp://:PORT from `texcast latency rtp://HOST:PORT` on another machine");
  add_flag(sub, "--window", o->window, "show it in a window (default: off-screen)");
  add_plain(sub, "--grab", o->grab, "SCREEN",
            "show it in a window, and read it off the screen: screen[:MONITOR|:WxH+X+Y]; there it has to be pixel by "
            "pixel, its upper edge not covered");
  add_flag(sub, "--audio", o->audio,
           "sound too: clicks, found where they go to the loudspeaker, or without a window to what stands for one");
  add_encoding(sub, o->encoding);
  add_value(sub, "--size", o->size, parse_size, "WxH", "of the picture (default: 1920x1080)");
  add_value(sub, "--fps", o->fps, parse_frame_rate, "RATE", "frames a second (default: 60)");
  add_frames(sub, o->frames);
  add_flag(sub, "--plain", o->plain, "all blocks of every frame (default: how frames differ, without loss)");
  add_value(sub, "--crf", o->crf, parse_crf, "N", "with loss: 0 the best, 23 usual, 51 (default: without loss)");
  add_value(sub, "--fec", o->fec, transport::parse_fec, "SPEC", "against loss, as of send (default: auto)");
  add_value(sub, "--latency", o->latency, parse_latency, "auto|MS",
            "of the player: as the network needs (default), 0 at once, or fixed");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::latency);
}

Subcommand define_ctl() {
  const auto o = std::make_shared<CtlOptions>();
  Subcommand sub = command("ctl", "Steer a send, play or receive that runs with --control PATH",
                           "texcast ctl /tmp/player set volume 50");
  add_plain(sub, "PATH", o->path, "SOCKET", "the one of --control").required = true;
  add_plain(sub, "COMMAND", o->words, "COMMAND",
            "and its words; `help` tells all that there are, `watch` prints what happens")
      .required = true;
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::ctl);
}

Subcommand define_doctor() {
  const auto o = std::make_shared<DoctorOptions>();
  Subcommand sub =
      command("doctor", "Check devices, display, sockets and fonts, and say how to mend them", "texcast doctor");
  add_flag(sub, "--prepare", o->prepare, "build the usual formats' kernels now, so that no later start waits for them");
  add_value(sub, "--format", o->format, parse_texture_format, "FORMAT",
            "with --prepare: of this format alone (default: bc1, ycocg-bc4, ycocg-bc4-444)");
  add_device(sub, o->encoding);
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::doctor);
}

Subcommand define_man() {
  Subcommand sub = command("man", "Print the man page", "texcast man | man -l -");
  sub.run = [](const Commands&, const auto& program) { return fmt::print("{}", man_page(program())), 0; };
  return sub;
}

Subcommand define_completion() {
  const auto shell = std::make_shared<std::string>();
  Subcommand sub = command("completion", "Print a completion script for a shell", "source <(texcast completion bash)");
  add_plain(sub, "SHELL", *shell, "SHELL", "bash, zsh or fish").required = true;
  sub.run = [shell](const Commands&, const auto& program) {
    return fmt::print("{}", completion_script(program(), *shell)), 0;
  };
  return sub;
}

}  // namespace

std::vector<Subcommand> all_subcommands() {
  return {define_devices(), define_screens(), define_encode(), define_decode(), define_send(),      define_play(),
          define_receive(), define_list(),    define_info(),   define_verify(), define_recover(),   define_bench(),
          define_latency(), define_ctl(),     define_doctor(), define_man(),    define_completion()};
}

std::vector<Option> common_options(CommonOptions& o) {
  Subcommand common;
  add_flag(common, "-v,--verbose", o.verbose, "say more, for whoever looks for a fault");
  add_flag(common, "-q,--quiet", o.quiet, "say nothing but warnings and errors; no progress").excludes = "--verbose";
  add_plain(common, "--config", o.config, "FILE",
            "options from FILE (default: ~/.config/texcast/config.toml, where it is there)");
  add_flag(common, "--no-config", o.no_config, "read no such file").excludes = "--config";
  for (Option& option : common.options) option.common = true;
  return common.options;
}

}  // namespace texcast::cli
