// options.h — the options of each subcommand in a struct, filled by option_table.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/presets.h"
#include "cli/values.h"
#include "formats/recording_layout.h"
#include "frames/mip_filter.h"
#include "player/presenter.h"
#include "texcast/container.h"
#include "texcast/decoder.h"
#include "texcast/encoder.h"
#include "texcast/file_coding.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/frame_times.h"
#include "texcast/if_exists.h"
#include "texcast/quality.h"
#include "texcast/tune.h"
#include "transport/crypto_choice.h"
#include "transport/fec_spec.h"
#include "transport/rtcp_summary.h"

namespace texcast::cli {

// The options of the command line alone, without those of a config file. Checks for options without effect look at
// these: a config file may hold options that a particular command cannot use.
template <typename Options>
const Options& as_given(const Options& options) {
  return options.given ? *options.given : options;
}

struct InputOptions {
  std::string input;
  nanoseconds start{};
  std::optional<int64_t> frames;        // stop after this many
  std::optional<nanoseconds> duration;  // stop after this time
  std::optional<double> fps;
  std::optional<Size> size;  // test, screen and capture devices
  bool loop = false;
  media::PictureSettings picture;
  std::string filters;
  std::optional<screen::CursorMode> cursor;  // default: overlay in coded streams, else picture
};

// A value, and whether the user gave it. A default may be replaced, by a preset for example.
template <typename T>
struct Chosen {
  T value{};
  bool is_given = false;
  Chosen(T usual) : value(usual) {}  // NOLINT(google-explicit-constructor): converts like a T
  Chosen& operator=(T given) {
    value = given;
    is_given = true;
    return *this;
  }
  operator T() const { return value; }  // NOLINT(google-explicit-constructor)
};

struct EncodingOptions {
  Chosen<TextureFormat> format = TextureFormat::bc1;
  Quality quality = Quality::fast;
  std::optional<Method> method;  // overrides the quality's method
  MethodOptions options;         // parameters of the method
  std::string device;
  std::optional<TuneMode> tune;  // default: TEXCAST_TUNE in the environment
};

struct DevicesOptions {
  EncodingOptions encoding;  // only `device` is used
  bool json = false;
};

// How frames are stored in .mov and .mkv, and in .ktx2.
struct PackingOptions {
  std::optional<RecordingLayout> layout;  // YCoCg-BC4; default: hapq
  std::optional<FileCoding> coding;       // default: plain
  std::optional<bool> snappy;
  std::optional<bool> zstd;
  std::optional<int> chunks;         // default: by the frame's size
  std::optional<Split> split;        // default: one file
  std::optional<int64_t> max_disk;   // bytes of all files together
  std::optional<int64_t> max_files;  // started because the stream changes; default: RecorderSettings::most_files
};

struct EncodeOptions {
  std::vector<std::string> inputs;  // one; several with `to`, `cube` or `array`
  InputOptions input;               // `input` is the first of `inputs`
  EncodingOptions encoding;
  PackingOptions packing;
  std::optional<AudioChoice> audio;  // default: copy, if the input has audio
  LossyOptions lossy;                // only `crf` is used
  // Of coded streams; 0: the first frame only. Default: RecorderSettings.
  std::optional<nanoseconds> keyframe_interval;
  // Encode only this share of the frames, for `join`; or without an input, of the jobs in `manifest`.
  std::optional<Part> part;
  std::string manifest;                // file with jobs: written if there are inputs, else done; empty: none
  std::string store;                   // folder of outputs by their content addresses; empty: none
  std::optional<double> verify_share;  // 0 to 1: of the jobs, are encoded twice and compared
  std::optional<int> parts;            // in `manifest`: that many jobs of one video, each with a part
  std::string output;                  // empty with `to`
  std::string to;                      // folder of the outputs, which have the names of the inputs; empty: `output`
  std::string extension;               // of outputs in `to`, with its dot; empty: .ktx2
  std::string rules;                   // file with an EncodeRule a line; empty: none
  bool if_newer = false;               // encode only what has no output or an older one
  std::optional<int64_t> jobs;         // pictures at the same time; default: one for each processor
  std::string container;               // of a pipe; empty: mkv
  IfExists if_exists = IfExists::refuse;
  std::optional<Resize> resize;   // default: the input's size
  std::optional<MipFilter> mips;  // default: one level
  bool cube = false;              // the inputs are the faces of a cube map, in the order +X, -X, +Y, -Y, +Z, -Z
  bool array = false;             // the inputs are the layers of an array
  bool normal_map = false;        // the picture is a map of normals
  bool separate_alpha = false;    // its alpha is no opacity
  bool srgb = false;              // mark the texture as sRGB
  bool psnr = false;
  bool json = false;
  std::shared_ptr<const EncodeOptions> given{};  // see as_given(); null: no config file was read
};

struct FarmOptions {
  EncodeOptions encode;  // what all tasks together do
  std::string action;    // "encode"
  bool slurm = false;
  std::vector<std::string> slurm_options;  // texts with words for sbatch
  std::string parallel;                    // hosts; empty: not by GNU parallel
  std::optional<int64_t> tasks;            // default: kUsualTasks
  int retries = kUsualRetries;             // of each task
  std::string work;                        // folder; empty: OUTPUT.farm, which is removed at the end
  std::string program;                     // texcast on the other machines; empty: the path of this one

  static constexpr int kUsualTasks = 8, kMostTasks = 1000, kUsualRetries = 3;
};

struct DecodeOptions {
  std::string input;
  std::string output;
  std::string container;  // of a pipe; empty: nut
  IfExists if_exists = IfExists::refuse;
  nanoseconds start{};
  std::optional<int64_t> frames;
  std::optional<nanoseconds> duration;
  EndpointExpansion expansion = EndpointExpansion::ffmpeg;
  StillPart part;
  std::optional<double> exposure;
  bool json = false;
};

// Service discovery on the local network.
struct NameOptions {
  std::optional<std::string> name;  // announced; default: the host's name
  bool no_announce = false;
};

// Browsers that watch: of `send` and `serve`, for their web:// addresses.
struct WebOptions {
  std::string password_file;        // empty: no password
  std::optional<int> links;         // one-time links to print; default: none
  std::optional<int> most_viewers;  // at a time; default: kUsualViewers
  std::string certificate;          // PEM file, or kSelfSigned; empty: plain HTTP
  std::string key;                  // PEM file; empty: in `certificate`
};
inline constexpr int kUsualViewers = 64;
inline constexpr const char* kSelfSigned = "self-signed";

struct SendOptions {
  InputOptions input;
  EncodingOptions encoding;
  std::vector<std::string> destinations;
  IfExists if_exists = IfExists::refuse;  // for capture files
  NameOptions names;
  std::optional<Purpose> purpose;  // default: desktop for screens without explicit coding options, else texcast
  bool plain = false;
  LossyOptions lossy;
  bool lossy_by_default = false;          // by the preset of screens, which nobody named
  std::optional<double> refresh_seconds;  // infinity: never; default: multicast 5 s, else never
  transport::FecChoice fec{.kind = transport::FecKind::automatic};
  std::optional<bool> retransmit;  // default: on for unicast
  std::optional<int> mtu;          // default: 1500, or the path MTU if smaller
  std::string interface;
  std::optional<int> ttl;
  std::optional<SentAudio> audio;  // default: pcm, if the input has audio
  std::string audio_source;        // default: the audio of the input
  std::string key_file;
  std::optional<transport::CryptoChoice> crypto;  // default: texcast with a key file, else none
  std::optional<double> rate_bits_per_s;
  std::optional<StartWhen> start_when;  // default: ready; now for live sources
  WebOptions web;
  std::optional<std::vector<TextureFormat>> web_formats;  // default: variant_formats()
  std::string stats_json;
  std::string control;  // path of the socket; empty: none
  bool json = false;
  std::shared_ptr<const SendOptions> given{};  // see as_given(); null: no config file was read
};

// The options of `receive`, and those that `play` shares with it.
struct StreamOptions {
  std::string source;
  std::string record;
  std::string container;  // of a pipe, for `receive`; empty: nut
  NameOptions names;
  IfExists if_exists = IfExists::refuse;  // for the recording and screenshots
  PackingOptions packing;
  std::string device;  // repacks for the recording, and transcodes for the display
  std::string interface;
  std::string key_file;
  std::optional<transport::CryptoChoice> crypto;  // default: texcast
  std::optional<nanoseconds> max_age;             // of a new encrypted session; default: a minute
  std::vector<std::string> from;                  // hosts; none: all
  std::optional<Size> max_size;                   // default: 16 Mpixel
  std::optional<int64_t> frames;
  std::optional<nanoseconds> timeout;
  bool no_audio = false;
  std::string stats_json;
  std::string control;  // path of the socket; empty: none
  bool json = false;
  std::shared_ptr<const StreamOptions> given{};  // see as_given(); null: no config file was read
};

struct ServeOptions {
  StreamOptions stream;                   // the source; the other options are for one that is no file
  std::vector<std::string> destinations;  // one
  bool loop = false;
  WebOptions web;
  std::shared_ptr<const ServeOptions> given{};  // see as_given(); null: no config file was read
};

struct RelayOptions {
  StreamOptions stream;                   // the source, and the options of its reception
  std::vector<std::string> destinations;  // one or more
  std::optional<int> ttl;
  std::optional<transport::FecChoice> fec;  // of this hop; default: the sender's parity passes
  std::optional<bool> retransmit;           // default: as the sender says
  std::optional<transport::ReportChoice> report;
  std::shared_ptr<const RelayOptions> given{};  // see as_given(); null: no config file was read
};

// The delay of streams that are shown by the system clock: enough for encoding, a LAN and uploading.
inline constexpr nanoseconds kWallDelay = std::chrono::milliseconds(100);

struct PlayOptions {
  std::vector<std::string> sources;
  StreamOptions stream;  // without its source
  std::string screenshot;
  bool screenshot_osd = false;       // screenshots with the on-screen display
  std::optional<nanoseconds> start;  // of each file, the first time that it is played
  std::optional<Size> size;
  bool fullscreen = false;
  std::optional<int> monitor;  // 1 is the first
  std::optional<player::ScaleMode> scale;
  media::PictureSettings shape;  // without `deinterlace`
  std::optional<player::Mirror> mirror;
  std::optional<player::PicturePart> part;  // without its bezel
  std::optional<Size> bezel;                // between cells
  std::optional<double> exposure;
  std::optional<player::Vsync> vsync;  // default: adaptive
  std::optional<double> speed;
  std::optional<double> volume;  // 0..1
  bool mute = false;
  bool loop = false;
  bool osd = false;
  bool no_window = false;
  std::optional<LatencyChoice> latency;  // default: auto
  std::optional<PlayClock> clock;        // default: own
  std::optional<nanoseconds> delay;      // by the system clock; default: kWallDelay
  std::optional<Moment> at;              // by the system clock, of files
  bool offscreen = false;
  std::shared_ptr<const PlayOptions> given{};  // see as_given(); null: no config file was read
};

struct InfoOptions {
  std::string file;
  bool json = false;
};

struct VerifyOptions {
  std::vector<std::string> files;
  bool json = false;
};

struct JoinOptions {
  std::vector<std::string> parts;
  std::string output;
  IfExists if_exists = IfExists::refuse;
  bool json = false;
};

struct RecoverOptions {
  std::string file;
  std::string output;  // empty: replace the file
  IfExists if_exists = IfExists::refuse;
  bool json = false;
};

// The measurements of `bench`, in the order in which they run.
inline constexpr std::array kMeasurementNames = {"kernels", "pipeline", "psnr", "tune", "lspiro"};

struct BenchOptions {
  std::vector<std::string> words;  // optionally the name of a measurement, then pictures
  std::string device;
  std::optional<PixelFormat> source;  // default: nv12
  std::optional<Size> size;           // default: 1920x1080
  std::optional<int64_t> rounds;      // per kernel; default: 30
  std::string only;                   // kernels whose name contains this
  MethodOptions options{};            // parameters of the methods
  bool everything = false;            // no time limit, all variants
  bool json = false;
};

struct ScreensOptions {
  bool json = false;
};

struct ListOptions {
  std::optional<nanoseconds> wait;  // default: until all seem to have answered
  bool json = false;
};

// Without `destination` and `show` this process both sends and receives.
struct LatencyOptions {
  std::string destination;  // the time card is sent here; empty: to this process
  std::string show;         // the time card is received here from another machine
  std::string grab;         // screen to capture; empty: the player's surface is read back
  bool window = false;      // default: off-screen
  bool audio = false;       // measure audio clicks too
  EncodingOptions encoding;
  std::optional<Size> size;       // default: 1920x1080
  std::optional<double> fps;      // default: 60
  std::optional<int64_t> frames;  // default: 300; with `show` all that arrive
  bool plain = false;
  LossyOptions lossy;  // only `crf` is used
  transport::FecChoice fec{.kind = transport::FecKind::automatic};
  std::optional<LatencyChoice> latency;  // playout delay; default: auto
  bool json = false;
  std::shared_ptr<const LatencyOptions> given{};  // see as_given(); null: no config file was read
};

struct CtlOptions {
  std::string path;                // path of the socket
  std::vector<std::string> words;  // the command's name first
  bool json = false;
};

struct WallOptions {
  std::vector<std::string> players;     // paths of their control sockets
  std::optional<nanoseconds> interval;  // ask again and again; unset: once
  bool json = false;
};

struct DoctorOptions {
  bool prepare = false;                 // build kernels instead of running the checks
  std::optional<TextureFormat> format;  // whose kernels; default: the usual formats
  EncodingOptions encoding;             // only `device` is used
  bool json = false;
};

}  // namespace texcast::cli
