#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/values.h"
#include "manual.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

// What the chosen subcommand does; runs after parsing, so that nothing half-parsed ever runs.
using Action = std::function<int(const Commands&)>;

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
  add_plain(app, "INPUT", o.input, "INPUT", "file or URL for FFmpeg, test, screen, lavfi:GRAPH or DEMUXER::DEVICE")
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
  add_shape(app, o.picture);
  add_deinterlace(app, o.picture);
}

void add_stats(CLI::App& app, std::string& file) {
  add_plain(app, "--stats-json", file, "FILE", "append a JSON line of statistics each second (-: stdout)");
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
  add_value(app, "--timeout", o.timeout, parse_timeout, "S", "stop when no frame came for S seconds");
  add_stats(app, o.stats_json);
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

void add_recording_device(CLI::App& app, StreamOptions& o) {
  add_plain(app, "--device", o.device, "DEVICE",
            "makes Hap Q of ycocg-bc4: as `texcast devices` shows, or cpu-reference");
}

// ---- the subcommands ----

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& summary, const std::string& example) {
  CLI::App* sub = app.add_subcommand(name, summary);
  sub->footer(example);
  return *sub;
}

template <typename Options>
void on_chosen(CLI::App& sub, Action& action, const std::shared_ptr<Options>& options,
               int (*Commands::*command)(const Options&)) {
  sub.callback([&action, options, command] {
    action = [options, command](const Commands& commands) { return (commands.*command)(*options); };
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

void define_encode(CLI::App& app, Action& action) {
  const auto o = std::make_shared<EncodeOptions>();
  CLI::App& sub = add_command(app, "encode", "Compress a video or picture into a texture file",
                              "texcast encode clip.mp4 clip.mov --quality normal --psnr");
  add_input(sub, o->input);
  add_plain(sub, "OUTPUT", o->output, "OUTPUT", ".mov, .mkv, or .dds and .ktx2 (%05d in the name makes a sequence)")
      ->required();
  add_if_exists(sub, o->if_exists);
  add_encoding(sub, o->encoding);
  add_input_options(sub, o->input);
  add_packing(sub, o->packing);
  add_value(sub, "--audio", o->audio, parse_audio, "SOUND",
            "sound in .mov, .mkv: copy (default; pcm where it must be), pcm or none");
  sub.add_flag("--psnr", o->psnr, "decode again and report PSNR over R, G and B against the source");
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::encode);
}

void define_decode(CLI::App& app, Action& action) {
  const auto o = std::make_shared<DecodeOptions>();
  CLI::App& sub = add_command(app, "decode", "Turn a texture file back into pictures or ordinary video, in software",
                              "texcast decode clip.mov frame_%05d.png --frames 10");
  add_plain(sub, "INPUT", o->input, "CLIP", "a texture file: .mov, .mkv, .dds or .ktx2")->required();
  add_plain(sub, "OUTPUT", o->output, "OUTPUT",
            "PNG, y4m or anything FFmpeg writes (%05d in the name makes a sequence)")
      ->required();
  add_if_exists(sub, o->if_exists);
  add_start(sub, o->start);
  add_frames(sub, o->frames);
  add_value(sub, "--expansion", o->expansion, parse_expansion, "HOW",
            "5- and 6-bit colours to 8 bits: ffmpeg, as it decodes (default), or replicate, as GPUs do");
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::decode);
}

void define_send(CLI::App& app, Action& action) {
  const auto o = std::make_shared<SendOptions>();
  CLI::App& sub = add_command(app, "send", "Compress and stream a video over RTP/UDP, in real time",
                              "texcast send clip.mp4 rtp://192.168.1.20:5004 --loop");
  add_input(sub, o->input);
  add_plain(sub, "DEST", o->destinations, "DEST", "rtp://HOST[:PORT], or pcap:FILE for a capture, unpaced")->required();
  add_encoding(sub, o->encoding);
  add_input_options(sub, o->input);
  sub.add_flag("--loop", o->input.loop, "start over at the end of the input");
  sub.add_flag("--plain", o->plain, "all blocks of every frame (default: how frames differ, without loss)");
  add_value(sub, "--for", o->receivers, parse_receivers, "RECEIVERS",
            fmt::format("texcast (default), or ultragrid: --plain, --fec {}", kUltraGridFec));
  add_value(sub, "--refresh", o->refresh_seconds, parse_refresh, "S",
            "send all parts anew within S seconds, 0 never (groups: 5, else 0)");
  add_value(sub, "--fec", o->fec, transport::parse_fec, "SPEC",
            "against loss: auto (default: 10%), none, N%, ultragrid-rs:K:N, ultragrid-ldgm:K:M:C, mult:N");
  add_value(sub, "--retransmit", o->retransmit, parse_on_off, "on|off",
            "send lost packets again when a texcast asks (default: on; groups: off)");
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
  add_if_exists(sub, o->if_exists);
  add_stats(sub, o->stats_json);
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
            "texture files, rtp://[ADDR][:PORT], pcap:FILE; shown one after the other")
      ->required();
  add_plain(sub, "--record", o->stream.record, "FILE", "also write the blocks as they arrive: .mov, .mkv, .dds, .ktx2");
  add_if_exists(sub, o->stream.if_exists);
  add_packing(sub, o->stream.packing);
  add_recording_device(sub, o->stream);
  add_plain(sub, "--screenshot", o->screenshot, "FILE", "save the last picture shown, with its display, as PNG");
  sub.add_flag("--osd", o->osd, "begin with the on-screen display");
  sub.add_flag("--fullscreen", o->fullscreen, "begin in fullscreen");
  add_value(sub, "--monitor", o->monitor, parse_monitor, "N", "open on the N-th monitor, 1 is the first");
  add_shape(sub, o->shape);
  add_value(sub, "--scale", o->scale, parse_scale, "SCALE", "fit (default), fill the window, or 1:1, a texel a pixel");
  sub.add_flag("--loop", o->loop, "start over at the end of the file or list");
  add_value(sub, "--speed", o->speed, parse_speed, "X", "of files, 0.25 to 4 (default: 1)");
  add_value(sub, "--volume", o->volume, parse_volume, "N", "0 to 100 (default: 100)");
  sub.add_flag("--mute", o->mute, "begin muted");
  sub.add_flag("--no-audio", o->no_audio, "play no sound and open no device for it");
  add_value(sub, "--size", o->size, parse_size, "WxH", "of the window or surface (default: the picture's)");
  CLI::Option* offscreen = sub.add_flag("--offscreen", o->offscreen, "draw with the GPU, but into no window");
  sub.add_flag("--no-window", o->no_window, "draw nothing; files are read as fast as possible, every frame")
      ->excludes(offscreen);
  add_value(sub, "--latency", o->latency, parse_latency, "auto|MS",
            "of streams: as the network needs (default), 0 at once, or fixed");
  add_stream_options(sub, o->stream);
  on_chosen(sub, action, o, &Commands::play);
}

void define_receive(CLI::App& app, Action& action) {
  const auto o = std::make_shared<StreamOptions>();
  CLI::App& sub = add_command(app, "receive", "Record a stream as it arrives, with no window",
                              "texcast receive rtp://:5004 show.mov --timeout 5");
  add_stream(sub, *o, "rtp://[ADDR][:PORT] to listen, rtp://[SOURCE@]GROUP, or pcap:FILE");
  add_plain(sub, "OUTPUT", o->record, "OUTPUT", ".mov, .mkv, or .dds and .ktx2 (%05d in the name makes a sequence)")
      ->required();
  add_if_exists(sub, o->if_exists);
  add_packing(sub, o->packing);
  add_recording_device(sub, *o);
  add_stream_options(sub, *o);
  on_chosen(sub, action, o, &Commands::receive);
}

void define_info(CLI::App& app, Action& action) {
  const auto o = std::make_shared<InfoOptions>();
  CLI::App& sub = add_command(app, "info", "Tell what is in a texture file", "texcast info clip.mov");
  add_plain(sub, "FILE", o->file, "CLIP", "a texture file: .mov, .mkv, .dds or .ktx2")->required();
  add_json(sub, o->json);
  on_chosen(sub, action, o, &Commands::info);
}

void define_verify(CLI::App& app, Action& action) {
  const auto o = std::make_shared<VerifyOptions>();
  CLI::App& sub = add_command(app, "verify", "Read every frame of texture files, and name those that are damaged",
                              "texcast verify show.mov show-2.mov");
  add_plain(sub, "FILE", o->files, "CLIP", "texture files: .mov, .mkv, .dds or .ktx2")->required();
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

void define_doctor(CLI::App& app, Action& action) {
  const auto o = std::make_shared<DoctorOptions>();
  CLI::App& sub = add_command(app, "doctor", "Check devices, display, sockets and fonts, and say how to mend them",
                              "texcast doctor");
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
  }
  for (const CLI::App* sub : app.get_subcommands({})) doc.subcommands.push_back(describe(*sub));
  return doc;
}

void define_self_description(CLI::App& app, Action& action) {
  CLI::App& man = add_command(app, "man", "Print the man page", "texcast man | man -l -");
  man.callback(
      [&app, &action] { action = [&app](const Commands&) { return fmt::print("{}", man_page(describe(app))), 0; }; });
  const auto shell = std::make_shared<std::string>();
  CLI::App& completion =
      add_command(app, "completion", "Print a completion script for a shell", "source <(texcast completion bash)");
  add_plain(completion, "SHELL", *shell, "SHELL", "bash, zsh or fish")->required();
  completion.callback([&app, &action, shell] {
    action = [&app, shell](const Commands&) { return fmt::print("{}", completion_script(describe(app), *shell)), 0; };
  });
}

void define_all(CLI::App& app, Action& action) {
  app.description("Video as GPU texture blocks: compress, stream, record and show them");
  app.set_version_flag("--version", "texcast " TEXCAST_VERSION, "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(1);
  define_devices(app, action);
  define_encode(app, action);
  define_decode(app, action);
  define_send(app, action);
  define_play(app, action);
  define_receive(app, action);
  define_info(app, action);
  define_verify(app, action);
  define_recover(app, action);
  define_bench(app, action);
  define_doctor(app, action);
  define_self_description(app, action);
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
    if (!options_ended && word == "--")
      options_ended = true;
    else
      words.push_back(options_ended ? kNoOption + std::string(word) : std::string(word));
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
  define_all(app, action);
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
  return action(commands);
}

}  // namespace texcast::cli
