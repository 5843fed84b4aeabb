// The one table of subcommands and options. A row holds an option's names, the type of its value, its help text, and
// the function that takes the value.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cli/coded_formats.h"
#include "cli/values.h"
#include "media/recorder.h"
#include "option_list.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

Option& add(Subcommand& sub, Option option) { return sub.options.emplace_back(std::move(option)); }

// An option whose value is parsed by one of values.h's functions.
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

// An option whose value is stored as it was given.
template <typename Text>
Option& add_plain(Subcommand& sub, const std::string& names, Text& target, const std::string& type,
                  const std::string& about) {
  return add(sub,
             {.names = names, .type = type, .about = about, .take = [&target](const std::vector<std::string>& values) {
                target = values.back();
                return std::string();
              }});
}
// The same for an option that may be repeated.
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

// ---- options that several subcommands share, with the same meaning and help text ----

void add_device(Subcommand& sub, EncodingOptions& o) {
  add_plain(
      sub, "--device", o.device, "DEVICE",
      "index or part of a name as `texcast devices` lists it, or cpu-reference; several, as 0,1 or all, encode in "
      "turn (default: the best one)");
}

void add_lspiro(Subcommand& sub, MethodOptions& options) {
  add_value(
      sub, "--passes", options.passes, parse_passes, "N",
      fmt::format("lspiro2 and lspiro3: number of regressions, 1 to {} (default: {})", kMaxLspiroPasses, kUsualPasses));
  add_value(sub, "--radius", options.radius, parse_radius, "N",
            fmt::format("lspiro3: search radius around the end points, 1 to {} (default: {})", kMaxLspiroRadius,
                        kUsualRadius));
}

void add_encoding(Subcommand& sub, EncodingOptions& o, const std::string& formats = list_texture_formats(),
                  const std::string& default_format = "bc1") {
  add_value(sub, "--format", o.format, parse_texture_format, "FORMAT",
            fmt::format("{} (default: {})", formats, default_format));
  add_value(sub, "--quality", o.quality, parse_quality, "QUALITY",
            list_qualities(TextureFormat::bc1) + " (default: fast)");
  add_value(sub, "--method", o.method, parse_method, "METHOD",
            list_methods(TextureFormat::bc1) + " (default: by --quality)");
  add_flag(sub, "--black", o.options.allow_black,
           "bc1, quality best: also use transparent black; alpha then has holes");
  add_lspiro(sub, o.options);
  add_device(sub, o);
  add_value(sub, "--tune", o.tune, parse_tune_mode, "WHEN",
            list_tune_modes() + ": time variants of the kernel; same output (default: auto)");
}

// For streams, with a note on formats that are sent raw.
std::string sent_formats() { return list_formats_raw_marked() + "; * is always sent raw, at its full bit rate"; }

void add_transform(Subcommand& sub, LossyOptions& o) {
  add_value(sub, "--transform", o.transform, parse_transform, "WHEN",
            "transform coding of lossy ycocg-bc4: on, off, auto (default: if by CPU)");
}

void add_json(Subcommand& sub, bool& json) {
  add_flag(sub, "--json", json, "print the report as one JSON document on stdout");
}

void add_start(Subcommand& sub, nanoseconds& start) {
  add_value(sub, "--start", start, parse_time, "TIME", "start at this position: 90, 1:30, 500ms, 2min");
}

void add_frames(Subcommand& sub, std::optional<int64_t>& frames) {
  add_value(sub, "--frames", frames, parse_count, "N", "stop after N frames");
}

void add_duration(Subcommand& sub, std::optional<nanoseconds>& duration) {
  add_value(sub, "-t,--duration", duration, parse_duration, "TIME", "stop after this time: 10s, 1:30, 2min");
}

constexpr const char* kInputHelp =
    "file or URL that FFmpeg reads, - (stdin), test, screen[:MONITOR|:WxH+X+Y], window:TITLE, lavfi:GRAPH, "
    "DEMUXER::DEVICE";

void add_input(Subcommand& sub, InputOptions& o) {
  add_plain(sub, "INPUT", o.input, "INPUT", kInputHelp).required = true;
}

void add_shape(Subcommand& sub, media::PictureSettings& o) {
  add_value(sub, "--rotate", o.rotate, parse_rotation, "DEGREES",
            "rotate clockwise by 0, 90, 180 or 270 (default: by metadata)");
  add_value(sub, "--aspect", o.aspect, parse_aspect, "W:H",
            "aspect ratio of the picture, as 16:9 or 1.85 (default: by metadata)");
}

void add_deinterlace(Subcommand& sub, media::PictureSettings& o) {
  add_value(sub, "--deinterlace", o.deinterlace, parse_deinterlace, "WHEN",
            "auto (default: frames flagged as interlaced), on (all) or off");
}

void add_input_options(Subcommand& sub, InputOptions& o) {
  add_start(sub, o.start);
  add_frames(sub, o.frames);
  add_duration(sub, o.duration);
  add_value(sub, "--fps", o.fps, parse_frame_rate, "RATE", "frame rate; frames of files are dropped or repeated");
  add_value(sub, "--size", o.size, parse_size, "WxH",
            "of test (default: 1920x1080), capture devices, or the screen's top left part");
  add_shape(sub, o.picture);
  add_deinterlace(sub, o.picture);
  add_plain(sub, "--vf", o.filters, "GRAPH",
            "filters of FFmpeg for files and devices, as crop=640:360,eq=contrast=1.2 or scale=1280:-2");
}

void add_stats(Subcommand& sub, std::string& file) {
  add_plain(sub, "--stats-json", file, "FILE", "append statistics every second, one JSON object a line (-: stdout)");
}

void add_control(Subcommand& sub, std::string& path) {
  add_plain(sub, "--control", path, "PATH", "listen on a Unix socket for commands of `texcast ctl PATH`");
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

// What `play`, `receive`, `serve` and `relay` take of a stream.
void add_reception(Subcommand& sub, StreamOptions& o, const std::string& no_audio) {
  add_key_file(sub, o.key_file, "decrypt with the passphrase in its first line, and reject other streams");
  add_value(sub, "--crypto", o.crypto, transport::parse_opened_crypto, "CIPHER",
            "cipher of an UltraGrid sender: ultragrid-gcm; unauthenticated: -cbc, -ctr, -cfb, -ecb");
  add_value(sub, "--max-age", o.max_age, parse_max_age, "S",
            "reject new encrypted sessions S seconds off this clock; 0: no check (default: 60)");
  add_plain(sub, "--from", o.from, "HOST[/BITS]",
            "accept packets from this host name, address or network only; may be repeated");
  add_value(sub, "--max-size", o.max_size, parse_size, "WxH",
            "reject larger pictures (default: 16 Mpixel, and the limit of the GPU)");
  add_interface(sub, o.interface, "receive on this interface only; name or address (default: any)");
  add_flag(sub, "--no-audio", o.no_audio, no_audio);
  add_value(sub, "--timeout", o.timeout, parse_timeout, "S", "stop when no frame has arrived for S seconds");
  add_stats(sub, o.stats_json);
}

void add_stream_options(Subcommand& sub, StreamOptions& o) {
  add_frames(sub, o.frames);
  add_reception(sub, o, "neither play nor record the audio");
  add_control(sub, o.control);
  add_json(sub, o.json);
}

// The rule for all files that are written.
void add_if_exists(Subcommand& sub, IfExists& if_exists) {
  add_flag(sub, "-y,--overwrite", "replace files that exist (default: they are an error)",
           [&if_exists] { if_exists = IfExists::overwrite; });
  add_flag(sub, "--number", "if a file exists, use the next free name (show-2.mov) or number", [&if_exists] {
    if_exists = IfExists::number;
  }).excludes = "--overwrite";
}

void add_container(Subcommand& sub, std::string& container, const std::string& about) {
  add_plain(sub, "--container", container, "NAME", "what goes into OUTPUT if it is - (stdout) or a FIFO: " + about);
}

void add_packing(Subcommand& sub, PackingOptions& o) {
  add_value(sub, "--coding", o.coding, parse_file_coding, "CODING",
            "plain (default), or compact: a coded stream in .mkv of what changes");
  add_value(sub, "--snappy", o.snappy, parse_on_off, "on|off",
            "compress the blocks in .mov and .mkv with Snappy (default: on)");
  add_value(sub, "--chunks", o.chunks, parse_chunks, "N",
            "number of Hap chunks in a frame, 1 to 64 (default: by the frame's size)");
  add_value(sub, "--zstd", o.zstd, parse_on_off, "on|off", "compress the blocks in .ktx2 with Zstandard (default: on)");
  add_value(sub, "--layout", o.layout, parse_recording_layout, "LAYOUT",
            "ycocg-bc4 in .mov, .mkv: hapq for Hap players (default), or planes, exact");
  add_value(sub, "--split", o.split, parse_split, "PART",
            "start a new file (show-2.mov) at this size (4G) or duration (10min)");
  add_value(sub, "--max-disk", o.max_disk, parse_bytes, "BYTES",
            "stop recording when all files together have this size (500M, 4G)");
}

// Only for streams, whose format and size may change.
void add_max_files(Subcommand& sub, PackingOptions& o) {
  add_value(sub, "--max-files", o.max_files, parse_count, "N",
            fmt::format("limit on new files because the stream changes its format or size (default: {})",
                        media::kUsualFiles));
}

void add_transcoding_device(Subcommand& sub, StreamOptions& o, const std::string& what) {
  add_plain(sub, "--device", o.device, "DEVICE",
            what + ": as `texcast devices` lists it, or cpu-reference (default: the best one)");
}

// For commands that serve browsers.
void add_web(Subcommand& sub, WebOptions& o) {
  add_plain(sub, "--web-password", o.password_file, "FILE", "let in browsers that know the word in its first line");
  add_value(sub, "--web-links", o.links, parse_web_links, "N", "print N one-time links, each for one viewer");
  add_value(sub, "--web-viewers", o.most_viewers, parse_web_viewers, "N",
            fmt::format("limit on browsers that watch at a time (default: {})", kUsualViewers));
  add_plain(sub, "--web-cert", o.certificate, "FILE",
            fmt::format("serve https:// with this certificate (PEM), or {}", kSelfSigned));
  add_plain(sub, "--web-key", o.key, "FILE", "its private key (default: in the same file)");
}

void add_names(Subcommand& sub, NameOptions& o) {
  add_plain(sub, "--name", o.name, "NAME", "name to announce on the local network (default: the host's name)");
  add_flag(sub, "--no-announce", o.no_announce, "do not announce a name; addresses still work");
}

// ---- the subcommands ----

Subcommand command(std::string name, std::string about, std::string example) {
  return {.name = std::move(name), .about = std::move(about), .example = std::move(example)};
}

// Completes a subcommand whose options have been added.
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
  Subcommand sub = command("devices", "List the OpenCL devices; * marks the one that is used, and why",
                           "texcast devices --device pocl");
  add_device(sub, o->encoding);
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::devices);
}

Subcommand define_screens() {
  const auto o = std::make_shared<ScreensOptions>();
  Subcommand sub =
      command("screens", "List the monitors and windows that can be captured, as INPUT takes them", "texcast screens");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::screens);
}

// Moves the last of the words, all of which CLI11 stores as inputs, to the output. Returns an error message, or an
// empty string.
std::string take_output(EncodeOptions& o, bool has_output) {
  if (o.inputs.empty() && !o.manifest.empty()) return "";  // its jobs have inputs and outputs
  if (o.inputs.empty()) return "INPUT is required";
  if (has_output) {
    if (o.inputs.size() < 2) return "OUTPUT is required";
    o.output = o.inputs.back();
    o.inputs.pop_back();
    if (o.inputs.size() > 1 && !o.cube && !o.array)
      return fmt::format("{} inputs for one output, '{}'; several need --to FOLDER, --cube or --array", o.inputs.size(),
                         o.output);
  }
  o.input.input = o.inputs.front();
  return "";
}

Subcommand define_encode(const std::shared_ptr<EncodeOptions>& o) {
  Subcommand sub = command("encode", "Compress a video or picture into a texture file",
                           "texcast encode clip.mp4 clip.mov --quality normal --psnr");
  add_plain(sub, "INPUT", o->inputs, "INPUT", kInputHelp);
  // Never given a word by CLI11: INPUT takes all, and take_output() moves the last one here.
  add_plain(sub, "OUTPUT", o->output, "OUTPUT",
            ".mov, .mkv, .dds, .ktx2, .astc (with %05d: a sequence), or - for stdout");
  add_container(sub, o->container, "mkv (default), or ktx2, dds or astc for one picture");
  add_plain(sub, "--to", o->to, "FOLDER", "write a texture for each INPUT into FOLDER, under the input's name");
  add_value(sub, "--ext", o->extension, parse_still_extension, "EXT",
            "with --to: kind of the textures: ktx2 (default), dds or astc");
  add_plain(sub, "--rules", o->rules, "FILE", "lines PATTERN = FORMAT OPTIONS say how to encode files: *_n.png = bc5");
  add_flag(sub, "--if-newer", o->if_newer, "skip inputs whose texture is newer, and replace older textures");
  add_value(sub, "--jobs", o->jobs, parse_count, "N", "pictures that are encoded at once (default: all processors)");
  add_if_exists(sub, o->if_exists);
  add_encoding(sub, o->encoding, list_texture_formats(), "pictures bc7, in .astc astc-6x6; videos bc1");
  add_input_options(sub, o->input);
  add_value(sub, "--cursor", o->input.cursor, parse_file_cursor, "WHERE",
            "cursor of screens: picture (default) or off");
  add_packing(sub, o->packing);
  add_value(sub, "--crf", o->lossy.crf, parse_crf, "N",
            "lossy coded stream in .mkv: 0 (best) to 51, usually 23 (default: lossless)");
  add_value(sub, "--keyframe-interval", o->keyframe_interval, parse_time, "TIME",
            "coded streams: a key frame this often, 0 only first (default: 1s to 5s)");
  add_transform(sub, o->lossy);
  add_value(sub, "--part", o->part, parse_part, "K/N",
            "only part K of N, as 2/8: of a video in .mov or .mkv (`texcast join` joins them), or every Nth picture");
  add_plain(sub, "--manifest", o->manifest, "FILE",
            "list jobs for INPUT in FILE; without INPUT: do these, or a --part of them");
  add_plain(sub, "--store", o->store, "FOLDER",
            "make outputs in FOLDER, named by hash of input and options, each only once");
  add_value(sub, "--verify-share", o->verify_share, parse_percent, "P%",
            "encode P% of the jobs twice and compare, or list second times as jobs");
  add_value(sub, "--parts", o->parts, parse_parts, "N", "with --manifest: N jobs for a video, one for each --part");
  add_value(sub, "--audio", o->audio, parse_audio, "SOUND",
            "audio in .mov, .mkv: copy (default; pcm if the file cannot hold the codec), pcm or none");
  add_value(sub, "--resize", o->resize, parse_resize, "SIZE",
            "scale the picture to WxH, or with pow2 to the nearest powers of two");
  add_value(sub, "--mips", o->mips, parse_mip_filter, "FILTER",
            ".dds and .ktx2: all mip levels, filtered by box or kaiser (default: one)");
  add_flag(sub, "--cube", o->cube,
           ".dds and .ktx2: a cube map of six INPUTs, +X -X +Y -Y +Z -Z, or of one with all faces in a row or cross");
  add_flag(sub, "--array", o->array, ".dds and .ktx2: an array, with a layer for each INPUT (with --cube: for six)");
  add_flag(sub, "--normal-map", o->normal_map,
           "a map of normals: --mips and --resize average vectors of length 1 (bc5, eac-rg11, or R G B)");
  add_flag(sub, "--separate-alpha", o->separate_alpha,
           "alpha is no opacity: --mips and --resize filter colours without it (default: weighted by it)");
  add_flag(sub, "--srgb", o->srgb, ".dds and .ktx2: mark the texture as sRGB");
  add_flag(sub, "--psnr", o->psnr, "decode the output and report its PSNR over R, G and B");
  add_json(sub, o->json);
  sub = chosen(std::move(sub), o, &Commands::encode);
  sub.settle = [o] {
    const bool has_output = o->to.empty();
    EncodeOptions given = as_given(*o);
    take_output(given, has_output);
    o->given = std::make_shared<const EncodeOptions>(std::move(given));
    return take_output(*o, has_output);
  };
  return sub;
}

// Options of `encode` that the tasks of a farm cannot have.
constexpr std::array kNotOfFarms = {"--part",     "--parts", "--manifest", "--store",   "--container",
                                    "--number",   "--json",  "--psnr",     "--cube",    "--array",
                                    "--if-newer", "--split", "--cursor",   "--max-disk"};

Subcommand define_farm() {
  const auto o = std::make_shared<FarmOptions>();
  Subcommand sub = command("farm", "Encode on many machines: by Slurm, or by GNU parallel over ssh",
                           "texcast farm encode film.mp4 film.mkv --crf 23 --slurm\n"
                           "texcast farm encode film.mp4 film.mkv --crf 23 --parallel :,studio2,2/studio3");
  add_plain(sub, "ACTION", o->action, "ACTION", "encode").required = true;
  for (Option& row : define_encode(std::shared_ptr<EncodeOptions>(o, &o->encode)).options)
    if (std::ranges::find(kNotOfFarms, row.names) == kNotOfFarms.end()) add(sub, std::move(row));
  add_flag(sub, "--slurm", o->slurm, "run the tasks as an array job of Slurm");
  add_plain(sub, "--slurm-option", o->slurm_options, "WORDS",
            "options for sbatch, as \"--partition=gpu --time=60\"; may be repeated");
  add_plain(sub, "--parallel", o->parallel, "HOSTS",
            "run the tasks by GNU parallel: a,b, 4/host for four at a time, : for this machine, or @FILE")
      .excludes = "--slurm";
  add_value(sub, "--tasks", o->tasks, parse_tasks, "N",
            fmt::format("number of tasks, 1 to 1000 (default: {})", FarmOptions::kUsualTasks));
  add_value(sub, "--retries", o->retries, parse_retries, "N",
            fmt::format("repeat a task that fails N times, 0 to 20 (default: {})", FarmOptions::kUsualRetries));
  add_plain(sub, "--work", o->work, "FOLDER",
            "keep results here, on storage that all machines see (default: OUTPUT.farm, removed at the end)");
  add_plain(sub, "--program", o->program, "FILE", "texcast on the other machines (default: the path of this one)");
  add_json(sub, o->encode.json);
  sub = chosen(std::move(sub), o, &Commands::farm);
  sub.before_config = [o] { o->encode.given = std::make_shared<const EncodeOptions>(o->encode); };
  sub.settle = [o]() -> std::string {
    if (o->action != "encode") return fmt::format("'farm {}': the action is encode", o->action);
    if (!o->slurm && o->parallel.empty()) return "farm needs --slurm or --parallel HOSTS";
    if (!o->slurm && !o->slurm_options.empty()) return "--slurm-option needs --slurm";
    const bool has_output = o->encode.to.empty();
    EncodeOptions given = as_given(o->encode);
    take_output(given, has_output);
    o->encode.given = std::make_shared<const EncodeOptions>(std::move(given));
    return take_output(o->encode, has_output);
  };
  return sub;
}

Subcommand define_decode() {
  const auto o = std::make_shared<DecodeOptions>();
  Subcommand sub = command("decode", "Decode a texture file into pictures or ordinary video, on the CPU",
                           "texcast decode clip.mov frame_%05d.png --frames 10");
  add_plain(sub, "INPUT", o->input, "CLIP", "a texture file: .mov, .mkv, .dds, .ktx2 or .astc").required = true;
  add_plain(sub, "OUTPUT", o->output, "OUTPUT",
            "PNG, y4m or anything FFmpeg writes (%05d in the name makes a sequence), or - for stdout")
      .required = true;
  add_container(sub, o->container, "nut (default: raw video, lossless), y4m, mkv, png or another that needs no index");
  add_if_exists(sub, o->if_exists);
  add_start(sub, o->start);
  add_frames(sub, o->frames);
  add_duration(sub, o->duration);
  add_value(sub, "--expansion", o->expansion, parse_expansion, "HOW",
            "expand 5- and 6-bit colours as FFmpeg does (ffmpeg, default) or as GPUs do (replicate)");
  add_value(sub, "--level", o->part.level, parse_index, "N", ".dds and .ktx2: mip level; 0 is the largest (default)");
  add_value(sub, "--layer", o->part.layer, parse_index, "N", ".dds and .ktx2: layer of an array, from 0 (default)");
  add_value(sub, "--face", o->part.face, parse_index, "N",
            ".dds and .ktx2: face of a cube map: 0 +X (default), -X, +Y, -Y, +Z, 5 -Z");
  add_value(sub, "--exposure", o->exposure, parse_exposure, "STOPS",
            "brighten linear light (bc6h) for output with 8 bits; .exr and .pfm store it unchanged");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::decode);
}

Subcommand define_send() {
  const auto o = std::make_shared<SendOptions>();
  Subcommand sub = command("send", "Compress a video and stream it over RTP/UDP, in real time",
                           "texcast send clip.mp4 192.168.1.20:5004 --loop\n"
                           "texcast send screen web://:8080");
  add_input(sub, o->input);
  add_plain(sub, "DEST", o->destinations, "DEST",
            "HOST:PORT, rtp://HOST[:PORT], the NAME of a player, web://[ADDR][:PORT] for browsers, or pcap:FILE (not "
            "paced)")
      .required = true;
  add_encoding(sub, o->encoding, sent_formats(), "bc1, or by --for");
  add_input_options(sub, o->input);
  add_value(sub, "--cursor", o->input.cursor, parse_cursor, "WHERE",
            "cursor of screens: picture, overlay (default for coded streams) or off");
  add_flag(sub, "--loop", o->input.loop, "restart the input when it ends");
  add_flag(sub, "--plain", o->plain, "raw stream of complete frames (default: lossless coded stream of changes)");
  add_value(sub, "--crf", o->lossy.crf, parse_crf, "N",
            "lossy: 0 (best) to 51, usually 23; refines static areas (default: lossless, or by --for)");
  add_value(sub, "--bitrate", o->lossy.bitrate, parse_bitrate, "RATE",
            "lossy, at most this bit rate, as 30M; MIN:MAX adapts it to the bandwidth; no finer than --crf");
  add_transform(sub, o->lossy);
  add_value(
      sub, "--for", o->purpose, parse_purpose, "PURPOSE",
      stream::preset_names() +
          ": preset; explicit options override its values (default: desktop for screens without --format, --quality, "
          "--method, --plain or UltraGrid options, else texcast, which is lossless)");
  add_value(sub, "--refresh", o->refresh_seconds, parse_refresh, "S",
            "periodic intra refresh within S seconds, 0 never (multicast: 5, else 0)");
  add_value(sub, "--fec", o->fec, transport::parse_fec, "SPEC",
            "packet loss protection: auto (default: 10%), none, N%, ultragrid-rs:K:N, ultragrid-ldgm:K:M:C, mult:N");
  add_value(sub, "--retransmit", o->retransmit, parse_on_off, "on|off",
            "resend packets that receivers NACK (default: on; multicast: off)");
  add_value(sub, "--audio", o->audio, parse_sent_audio, "SOUND",
            "audio of the input, to port + 2: pcm (default), opus or none");
  add_plain(sub, "--audio-source", o->audio_source, "SOURCE",
            "other audio: FILE, pulse:NAME, alsa:DEVICE, lavfi:GRAPH or test");
  add_value(sub, "--mtu", o->mtu, parse_mtu, "BYTES", "largest IP packet (default: 1500, or the path MTU if smaller)");
  add_interface(sub, o->interface, "send through this interface; name or address (default: by route)");
  add_value(sub, "--ttl", o->ttl, parse_ttl, "N", "multicast TTL; 0 stays on this machine (default: 1)");
  add_key_file(sub, o->key_file, "encrypt with the passphrase in its first line");
  add_value(sub, "--crypto", o->crypto, transport::parse_crypto, "CIPHER",
            "with --key-file: texcast (default), ultragrid-gcm, -cbc, -ctr or -cfb");
  add_value(sub, "--rate", o->rate_bits_per_s, parse_rate, "RATE", "limit the send rate to each DEST, as 800M");
  add_value(sub, "--start-when", o->start_when, parse_start_when, "WHEN",
            "ready (default for files): wait for the kernels, 30 s at most; or now");
  add_web(sub, o->web);
  add_value(sub, "--web-formats", o->web_formats, parse_web_formats, "FORMAT[,FORMAT]…",
            "for GPUs that do not take --format, or none (default: bc1,etc2,astc-4x4)");
  add_names(sub, o->names);
  add_if_exists(sub, o->if_exists);
  add_stats(sub, o->stats_json);
  add_control(sub, o->control);
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::send);
}

Subcommand define_play() {
  const auto o = std::make_shared<PlayOptions>();
  Subcommand sub = command("play", "Play a stream, a capture or a texture file",
                           "texcast play :5004 --record show.mov\n"
                           "Keys: i display, f fullscreen, space pause, s screenshot, arrows seek, q quit, ? help");
  add_plain(sub, "SOURCE", o->sources, "SOURCE",
            "texture files, [ADDR]:PORT to listen, the NAME of a sender or pcap:FILE, played in order")
      .required = true;
  add_plain(sub, "--record", o->stream.record, "FILE",
            "also record the stream as received: .mov, .mkv, .dds, .ktx2, .astc");
  add_if_exists(sub, o->stream.if_exists);
  add_packing(sub, o->stream.packing);
  add_max_files(sub, o->stream.packing);
  add_transcoding_device(sub, o->stream, "transcodes what the GPU lacks and to Hap Q, and decodes lossy streams");
  add_plain(sub, "--screenshot", o->screenshot, "FILE", "save the last picture shown as PNG");
  add_flag(sub, "--screenshot-osd", o->screenshot_osd, "screenshots show the on-screen display too (key s, ctl too)");
  add_value(sub, "--start", o->start, parse_time, "TIME",
            "begin files at this time (90, 1:30); with --loop, the first time only");
  add_flag(sub, "--osd", o->osd, "start with the on-screen display");
  add_flag(sub, "--fullscreen", o->fullscreen, "start in fullscreen");
  add_value(sub, "--monitor", o->monitor, parse_monitor, "N", "open on this monitor; 1 is the first");
  add_shape(sub, o->shape);
  add_value(sub, "--mirror", o->mirror, parse_mirror, "SIDES",
            "horizontal (swaps left and right), vertical or none (default)");
  add_value(sub, "--part", o->part, parse_picture_part, "PART",
            "show a part only: X,Y,W,H in pixels, or a cell of a wall (column,row from 1) as '2,1 of 4x3'");
  add_value(sub, "--bezel", o->bezel, parse_bezel, "W[xH]",
            "pixels of the picture that lie hidden between the cells of --part (default: 0)");
  add_value(sub, "--exposure", o->exposure, parse_exposure, "STOPS", "brighten linear light (bc6h)");
  add_value(sub, "--vsync", o->vsync, parse_vsync, "SYNC",
            "on, off, or adaptive (default: late frames are shown at once)");
  add_value(sub, "--scale", o->scale, parse_scale, "SCALE",
            "fit (default), fill the window, or 1:1 (one texel per pixel)");
  add_flag(sub, "--loop", o->loop, "restart at the end of the file or playlist");
  add_value(sub, "--speed", o->speed, parse_speed, "X", "speed of files, 0.25 to 4 (default: 1)");
  add_value(sub, "--volume", o->volume, parse_volume, "N", "volume, 0 to 100 (default: 100)");
  add_flag(sub, "--mute", o->mute, "start muted");
  add_value(sub, "--size", o->size, parse_size, "WxH", "size of the window or surface (default: the picture's)");
  add_flag(sub, "--offscreen", o->offscreen, "render on the GPU without a window");
  add_flag(sub, "--no-window", o->no_window, "render nothing; every frame of a file is read, as fast as possible")
      .excludes = "--offscreen";
  add_value(sub, "--latency", o->latency, parse_latency, "auto|MS",
            "playout delay of streams: by jitter (auto, default) or fixed; 0 shows at once");
  add_value(sub, "--clock", o->clock, parse_clock, "own|system",
            "show frames at times of the system clock, in step with players that share it (docs/wall.md)");
  add_value(sub, "--delay", o->delay, parse_delay, "MS",
            "with --clock system: from a stream's time stamps to the screen, alike on all players (default: 100)");
  add_value(sub, "--at", o->at, parse_moment, "TIME",
            "with --clock system: when files begin (RFC 3339, HH:MM:SS or Unix time; default with --loop: 1970)");
  add_stream_options(sub, o->stream);
  add_names(sub, o->stream.names);
  return chosen(std::move(sub), o, &Commands::play);
}

Subcommand define_receive() {
  const auto o = std::make_shared<StreamOptions>();
  Subcommand sub = command("receive", "Record a stream as received, or make it a camera",
                           "texcast receive :5004 show.mov --timeout 5\n"
                           "texcast receive :5004 pipewire:Studio");
  add_stream(sub, *o, "[ADDR]:PORT to listen, rtp://[SOURCE@]GROUP, the NAME of a sender, or pcap:FILE");
  add_plain(sub, "OUTPUT", o->record, "OUTPUT",
            ".mov, .mkv, or .dds, .ktx2 and .astc (%05d in the name makes a sequence), - for stdout, or a camera of "
            "this machine: pipewire:NAME or v4l2:/dev/videoN")
      .required = true;
  add_container(sub, o->container,
                "nut (default: decoded pictures with sound), y4m (decoded, without), or mkv (blocks as received)");
  add_if_exists(sub, o->if_exists);
  add_packing(sub, o->packing);
  add_max_files(sub, o->packing);
  add_transcoding_device(sub, *o,
                         "transcodes ycocg-bc4 to Hap Q, decodes lossy streams, and makes a camera's pictures");
  add_stream_options(sub, *o);
  add_names(sub, o->names);
  return chosen(std::move(sub), o, &Commands::receive);
}

Subcommand define_serve() {
  const auto o = std::make_shared<ServeOptions>();
  Subcommand sub = command("serve", "Pass a stream or a texture file on to browsers, as it is",
                           "texcast serve :5004 web://:8080\n"
                           "texcast serve show.mov web://:8080 --loop");
  add_plain(sub, "SOURCE", o->stream.source, "SOURCE",
            "[ADDR]:PORT to listen, rtp://[SOURCE@]GROUP, the NAME of a sender, pcap:FILE, or a texture file")
      .required = true;
  add_plain(sub, "DEST", o->destinations, "DEST", "web://[ADDR][:PORT], where browsers watch (default port: 8080)")
      .required = true;
  add_flag(sub, "--loop", o->loop, "restart the texture file when it ends");
  add_web(sub, o->web);
  add_reception(sub, o->stream, "pass the picture on without its sound");
  add_names(sub, o->stream.names);
  add_json(sub, o->stream.json);
  return chosen(std::move(sub), o, &Commands::serve);
}

Subcommand define_relay() {
  const auto o = std::make_shared<RelayOptions>();
  Subcommand sub = command("relay", "Pass a stream on to other receivers, as it is",
                           "texcast relay :5004 192.168.2.20 192.168.2.21\n"
                           "texcast relay studio rtp://239.1.2.3 --interface eth1");
  add_plain(sub, "SOURCE", o->stream.source, "SOURCE",
            "[ADDR]:PORT to listen, rtp://[SOURCE@]GROUP, the NAME of a sender, or pcap:FILE")
      .required = true;
  add_plain(sub, "DEST", o->destinations, "DEST", "HOST[:PORT], rtp://GROUP, or the NAME of a player; one or more")
      .required = true;
  add_value(sub, "--ttl", o->ttl, parse_ttl, "N", "multicast TTL; 0 stays on this machine (default: 1)");
  add_value(sub, "--fec", o->fec, parse_hop_fec, "SPEC",
            "parity from here on: none, auto (10%) or N%, if the stream is not encrypted (default: the sender's)");
  add_value(sub, "--retransmit", o->retransmit, parse_on_off, "on|off",
            "resend packets that receivers NACK (default: as the sender does)");
  add_value(sub, "--report", o->report, parse_report_choice, "WHOSE",
            "losses reported to the sender besides the relay's own: own (none), worst, or median (default)");
  add_reception(sub, o->stream, "pass the picture on without its sound");
  add_control(sub, o->stream.control);
  add_names(sub, o->stream.names);
  add_json(sub, o->stream.json);
  return chosen(std::move(sub), o, &Commands::relay);
}

Subcommand define_list() {
  const auto o = std::make_shared<ListOptions>();
  Subcommand sub =
      command("list", "List the senders and waiting players on the local network", "texcast list --wait 3");
  add_value(sub, "--wait", o->wait, parse_timeout, "S",
            "wait this long for answers (default: until all have come, about 1)");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::list);
}

Subcommand define_info() {
  const auto o = std::make_shared<InfoOptions>();
  Subcommand sub = command("info", "Show the properties of a texture file", "texcast info clip.mov");
  add_plain(sub, "FILE", o->file, "CLIP", "a texture file: .mov, .mkv, .dds, .ktx2 or .astc").required = true;
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::info);
}

Subcommand define_verify() {
  const auto o = std::make_shared<VerifyOptions>();
  Subcommand sub = command("verify", "Check every frame of texture files, and list damaged ones",
                           "texcast verify show.mov show-2.mov");
  add_plain(sub, "FILE", o->files, "CLIP", "texture files: .mov, .mkv, .dds, .ktx2 or .astc").required = true;
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::verify);
}

Subcommand define_join() {
  const auto o = std::make_shared<JoinOptions>();
  Subcommand sub = command("join", "Join the parts of a video that `encode --part` wrote",
                           "texcast join film-1.mkv film-2.mkv film.mkv");
  add_plain(sub, "PART", o->parts, "PART", "all parts, in any order: .mov or .mkv").required = true;
  // Never given a word by CLI11: PART takes all, and settle() moves the last one here.
  add_plain(sub, "OUTPUT", o->output, "OUTPUT", "the whole video, with the extension of the parts");
  add_if_exists(sub, o->if_exists);
  add_json(sub, o->json);
  sub = chosen(std::move(sub), o, &Commands::join);
  sub.settle = [o]() -> std::string {
    if (o->parts.size() < 2) return "give all PARTs and then OUTPUT";
    o->output = o->parts.back();
    o->parts.pop_back();
    return "";
  };
  return sub;
}

Subcommand define_recover() {
  const auto o = std::make_shared<RecoverOptions>();
  Subcommand sub = command("recover", "Repair a recording that was not closed", "texcast recover show.mov");
  add_plain(sub, "FILE", o->file, "CLIP",
            "unfinished recording of `encode`, `receive` or `play --record`: .mov or .mkv")
      .required = true;
  add_plain(sub, "-o,--output", o->output, "OUTPUT",
            "write the repaired file here (default: replace FILE when it is complete)");
  add_if_exists(sub, o->if_exists);
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::recover);
}

Subcommand define_bench() {
  const auto o = std::make_shared<BenchOptions>();
  Subcommand sub = command("bench", "Benchmark this machine's devices: kernels, pipeline, picture quality",
                           "texcast bench --size 3840x2160 photo.png");
  add_plain(sub, "WHAT", o->words, "WHAT",
            joined({kMeasurementNames.begin(), kMeasurementNames.end()}, ", ") +
                " (default: kernels, pipeline, and psnr if pictures follow), then pictures that FFmpeg reads");
  add_plain(sub, "--device", o->device, "DEVICE",
            "as `texcast devices` lists it; several, as 0,1 or all, run together too (default: the best one)");
  add_value(sub, "--source", o->source, parse_pixel_format, "PIXELFORMAT",
            "pixel format of the frames (default: nv12)");
  add_value(sub, "--size", o->size, parse_size, "WxH", "size of the frames (default: 1920x1080)");
  add_value(sub, "--rounds", o->rounds, parse_count, "N", "runs of each kernel (default: 30, fewer of slow ones)");
  add_plain(sub, "--only", o->only, "TEXT",
            "only kernels, formats and methods whose name contains TEXT, as 'bc1 refine'");
  add_lspiro(sub, o->options);
  add_flag(sub, "--tune", "time every variant of the qualities' kernels, and store the fastest (as WHAT tune)",
           [o] { o->words.insert(o->words.begin(), "tune"); });
  add_flag(sub, "--everything", o->everything, "no time limits, and include variants that are slow on such a device");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::bench);
}

Subcommand define_latency() {
  const auto o = std::make_shared<LatencyOptions>();
  Subcommand sub = command("latency", "Measure end-to-end latency by a time code in the picture",
                           "texcast latency --size 1920x1080 --fps 60");
  add_plain(sub, "ADDRESS", o->destination, "ADDRESS",
            "send to HOST:PORT, where `texcast latency --show` runs (default: send and receive here)");
  add_plain(sub, "--show", o->show, "ADDRESS", "receive at :PORT from `texcast latency HOST:PORT` on another machine");
  add_flag(sub, "--window", o->window, "show the picture in a window (default: off-screen)");
  add_plain(
      sub, "--grab", o->grab, "SCREEN",
      "show the picture in a window and read it by screen capture: screen[:MONITOR|:WxH+X+Y]; the window must not be "
      "scaled, nor its top edge covered");
  add_flag(sub, "--audio", o->audio,
           "also measure audio, by clicks in what is played (without a window: to a simulated loudspeaker)");
  add_encoding(sub, o->encoding, sent_formats());
  add_value(sub, "--size", o->size, parse_size, "WxH", "size of the picture (default: 1920x1080)");
  add_value(sub, "--fps", o->fps, parse_frame_rate, "RATE", "frame rate (default: 60)");
  add_frames(sub, o->frames);
  add_flag(sub, "--plain", o->plain, "raw stream of complete frames (default: lossless coded stream of changes)");
  add_value(sub, "--crf", o->lossy.crf, parse_crf, "N", "lossy: 0 (best) to 51, usually 23 (default: lossless)");
  add_value(sub, "--fec", o->fec, transport::parse_fec, "SPEC", "packet loss protection, as for send (default: auto)");
  add_value(sub, "--latency", o->latency, parse_latency, "auto|MS",
            "playout delay: by jitter (auto, default) or fixed; 0 shows at once");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::latency);
}

Subcommand define_ctl() {
  const auto o = std::make_shared<CtlOptions>();
  Subcommand sub = command("ctl", "Control a send, play or receive that runs with --control PATH",
                           "texcast ctl /tmp/player set volume 50");
  add_plain(sub, "PATH", o->path, "SOCKET", "the PATH of --control").required = true;
  add_plain(sub, "COMMAND", o->words, "COMMAND", "command with its arguments; `help` lists all, `watch` prints events")
      .required = true;
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::ctl);
}

Subcommand define_wall() {
  const auto o = std::make_shared<WallOptions>();
  Subcommand sub = command("wall", "Say how well players that run with --control PATH are in step",
                           "texcast wall --players /tmp/p1,/tmp/p2 --interval 1");
  add_value(sub, "--players", o->players, parse_list, "PATH,PATH", "the PATHs of --control, with commas between")
      .required = true;
  add_value(sub, "--interval", o->interval, parse_duration, "TIME", "ask again after this time, until interrupted");
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::wall);
}

Subcommand define_doctor() {
  const auto o = std::make_shared<DoctorOptions>();
  Subcommand sub = command("doctor", "Check devices, display, sockets and fonts, and suggest fixes", "texcast doctor");
  add_flag(sub, "--prepare", o->prepare,
           "build the kernels of the usual formats now, so that later starts need not wait");
  add_value(sub, "--format", o->format, parse_texture_format, "FORMAT",
            "with --prepare: only this format (default: bc1, ycocg-bc4, ycocg-bc4-444)");
  add_device(sub, o->encoding);
  add_json(sub, o->json);
  return chosen(std::move(sub), o, &Commands::doctor);
}

Subcommand define_help() {
  const auto name = std::make_shared<std::string>();
  Subcommand sub = command("help", "Print the help of a subcommand, or the list of them", "texcast help send");
  add_plain(sub, "SUBCOMMAND", *name, "SUBCOMMAND", "the subcommand (default: lists all)");
  sub.run = [name](const Commands&, const auto& program) { return fmt::print("{}", help_about(program(), *name)), 0; };
  return sub;
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

// "--duration" of "-t,--duration".
std::string long_name(const Option& row) {
  return row.names.substr(row.names.find("--") == std::string::npos ? 0 : row.names.find("--"));
}

// Options of `encode` that are about all files, and not about the content of one.
bool is_of_the_run(const std::string& option) {
  constexpr std::array kOfTheRun = {
      "--to",    "--ext",    "--rules",    "--if-newer", "--jobs",         "--overwrite", "--cube",
      "--array", "--number", "--json",     "--device",   "--tune",         "--psnr",      "--container",
      "--part",  "--parts",  "--manifest", "--store",    "--verify-share", "--split",     "--max-disk"};
  return std::ranges::find(kOfTheRun, option) != kOfTheRun.end();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> texture_options() {
  std::vector<std::pair<std::string, std::string>> options;
  for (const Option& row : define_encode(std::make_shared<EncodeOptions>()).options)
    if (const std::string name = long_name(row); name.starts_with("--") && !is_of_the_run(name))
      options.emplace_back(name, row.type);
  return options;
}

std::string take_encode_options(EncodeOptions& options, const std::vector<std::string>& words) {
  const auto o = std::make_shared<EncodeOptions>(options);
  const std::vector<Option> rows = define_encode(o).options;
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string& option = words[at];
    const auto row = std::ranges::find_if(rows, [&](const Option& one) { return long_name(one) == option; });
    if (!option.starts_with("--") || row == rows.end() || is_of_the_run(option))
      return fmt::format("'{}' is not an option for the texture of one file", option);
    const bool has_value = !row->type.empty();
    if (has_value && at + 1 == words.size()) return option + " needs a value";
    const std::string wrong = row->take({has_value ? words[++at] : std::string()});
    if (!wrong.empty()) return fmt::format("{}: {}", option, wrong);
  }
  options = *o;
  return "";
}

std::string take_encode_option(EncodeOptions& options, const std::string& option, const std::string& value) {
  const auto o = std::make_shared<EncodeOptions>(options);
  const std::vector<Option> rows = define_encode(o).options;
  const auto row = std::ranges::find_if(rows, [&](const Option& one) { return long_name(one) == option; });
  if (!option.starts_with("--") || row == rows.end() || is_of_the_run(option))
    return fmt::format("'{}' is not an option for the texture of one file", option);
  if (value.empty() != row->type.empty())
    return fmt::format("{} {}", option, value.empty() ? "needs a value" : "takes no value");
  const std::string wrong = row->take({value});
  if (wrong.empty()) options = *o;
  return wrong.empty() ? "" : fmt::format("{}: {}", option, wrong);
}

std::vector<Subcommand> all_subcommands() {
  return {define_devices(), define_screens(),   define_encode(std::make_shared<EncodeOptions>()),
          define_farm(),    define_decode(),    define_send(),
          define_play(),    define_receive(),   define_serve(),
          define_relay(),   define_list(),      define_info(),
          define_verify(),  define_join(),      define_recover(),
          define_bench(),   define_latency(),   define_ctl(),
          define_wall(),    define_doctor(),    define_help(),
          define_man(),     define_completion()};
}

std::vector<Option> common_options(CommonOptions& o) {
  Subcommand common;
  add_flag(common, "-v,--verbose", o.verbose, "also log debug messages");
  add_flag(common, "-q,--quiet", o.quiet,
           "log warnings and errors only, and show neither progress nor a report of what was done")
      .excludes = "--verbose";
  add_plain(common, "--config", o.config, "FILE",
            "read options from FILE (default: ~/.config/texcast/config.toml, if it exists)");
  add_flag(common, "--no-config", o.no_config, "do not read a config file").excludes = "--config";
  for (Option& option : common.options) option.common = true;
  return common.options;
}

}  // namespace texcast::cli
