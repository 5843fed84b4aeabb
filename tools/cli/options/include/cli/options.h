// options.h — what the command line asked for, one struct a subcommand, filled by option_table.cpp.
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

namespace texcast::cli {

// What the command line said, where a file of options (--config) has added to it: it is no fault of the command that
// such a file has options which are of no use in it.
template <typename Options>
const Options& as_given(const Options& options) {
  return options.given ? *options.given : options;
}

struct InputOptions {
  std::string input;
  nanoseconds start{};
  std::optional<int64_t> frames;  // stop after so many
  std::optional<double> fps;
  std::optional<Size> size;  // test, screen
  bool loop = false;
  media::PictureSettings picture;
  std::optional<screen::CursorMode> cursor;  // default: overlay of compact streams, else picture
};

// A value that a user has given, or a default that something else may replace.
template <typename T>
struct Chosen {
  T value{};
  bool is_given = false;
  Chosen(T usual) : value(usual) {}  // NOLINT(google-explicit-constructor): it is a T with a remark
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
  std::optional<Method> method;  // instead of the quality's own
  MethodOptions options;         // of the method
  std::string device;
  std::optional<TuneMode> tune;  // default: of the environment
};

struct DevicesOptions {
  EncodingOptions encoding;  // only the device
  bool json = false;
};

// How frames lie in .mov and .mkv, and in .ktx2.
struct PackingOptions {
  std::optional<RecordingLayout> layout;  // of YCoCg-BC4; default: hapq
  std::optional<FileCoding> coding;       // default: plain
  std::optional<bool> snappy;
  std::optional<bool> zstd;
  std::optional<int> chunks;         // default: by the frame's size
  std::optional<Split> split;        // default: one file
  std::optional<int64_t> max_disk;   // bytes of all files together
  std::optional<int64_t> max_files;  // that changes of a stream begin; default: RecorderSettings::most_files
};

struct EncodeOptions {
  InputOptions input;
  EncodingOptions encoding;
  PackingOptions packing;
  std::optional<AudioChoice> audio;  // default: copy, where there is any
  LossyOptions lossy;                // its crf only
  std::string output;
  IfExists if_exists = IfExists::refuse;
  std::optional<MipFilter> mips;  // default: one level
  bool srgb = false;              // the file says that its values are in sRGB's curve
  bool psnr = false;
  bool json = false;
  std::shared_ptr<const EncodeOptions> given{};  // by the command line alone; null: all of it is
};

struct DecodeOptions {
  std::string input;
  std::string output;
  IfExists if_exists = IfExists::refuse;
  nanoseconds start{};
  std::optional<int64_t> frames;
  EndpointExpansion expansion = EndpointExpansion::ffmpeg;
  StillPart part;
  std::optional<double> exposure;
  bool json = false;
};

// What `--for ultragrid` protects with: what UltraGrid itself takes for `-f rs`.
inline constexpr const char* kUltraGridFec = "ultragrid-rs:200:240";

// Senders and players by name, on the local network.
struct NameOptions {
  std::optional<std::string> name;  // under which this one is announced; default: of the host
  bool no_announce = false;
};

struct SendOptions {
  InputOptions input;
  EncodingOptions encoding;
  std::vector<std::string> destinations;
  IfExists if_exists = IfExists::refuse;  // of captures
  NameOptions names;
  std::optional<Purpose> purpose;  // default: desktop of screens of which nothing else is said, else texcast
  bool plain = false;
  LossyOptions lossy;
  bool lossy_by_preset = false;            // and not given
  std::optional<double> refresh_seconds;  // infinity: never; default: groups 5 s, else never
  transport::FecChoice fec{.kind = transport::FecKind::automatic};
  std::optional<bool> retransmit;  // default: where receivers may ask
  std::optional<int> mtu;          // default: 1500, or less where the way is narrower
  std::string interface;
  std::optional<int> ttl;
  std::optional<SentAudio> audio;  // default: pcm, where there is any
  std::string audio_source;        // default: the input's own
  std::string key_file;
  std::optional<transport::CryptoChoice> crypto;  // default: texcast with a key file, else none
  std::optional<double> rate_bits_per_s;
  std::optional<StartWhen> start_when;  // default: ready; of live sources now
  std::string stats_json;
  std::string control;  // a socket's path; empty: none
  bool json = false;
  std::shared_ptr<const SendOptions> given{};  // by the command line alone; null: all of it is
};

// `receive` is `play` with no window, so they share what they have in common.
struct StreamOptions {
  std::string source;
  std::string record;
  NameOptions names;
  IfExists if_exists = IfExists::refuse;  // of the recording, and of a screenshot
  PackingOptions packing;
  std::string device;  // that repacks for the recording, and transcodes for the display
  std::string interface;
  std::string key_file;
  std::optional<transport::CryptoChoice> crypto;  // default: texcast
  std::optional<nanoseconds> max_age;             // of a sealed session that is not known; default: a minute
  std::vector<std::string> from;                  // hosts; none: all
  std::optional<Size> max_size;                   // default: 16 Mpixel
  std::optional<int64_t> frames;
  std::optional<nanoseconds> timeout;
  bool no_audio = false;
  std::string stats_json;
  std::string control;  // a socket's path; empty: none
  bool json = false;
  std::shared_ptr<const StreamOptions> given{};  // by the command line alone; null: all of it is
};

struct PlayOptions {
  std::vector<std::string> sources;
  StreamOptions stream;  // but its source
  std::string screenshot;
  std::optional<Size> size;
  bool fullscreen = false;
  std::optional<int> monitor;  // 1 is the first
  std::optional<player::ScaleMode> scale;
  media::PictureSettings shape;  // but `deinterlace`
  std::optional<player::Mirror> mirror;
  std::optional<double> exposure;
  std::optional<player::Vsync> vsync;  // default: adaptive
  std::optional<double> speed;
  std::optional<double> volume;  // 0..1
  bool mute = false;
  bool loop = false;
  bool osd = false;
  bool no_window = false;
  std::optional<LatencyChoice> latency;  // default: auto
  bool offscreen = false;
  std::shared_ptr<const PlayOptions> given{};  // by the command line alone; null: all of it is
};

struct InfoOptions {
  std::string file;
  bool json = false;
};

struct VerifyOptions {
  std::vector<std::string> files;
  bool json = false;
};

struct RecoverOptions {
  std::string file;
  std::string output;  // empty: in its place
  IfExists if_exists = IfExists::refuse;
  bool json = false;
};

// What may be named to `bench`, in the order in which it runs.
inline constexpr std::array kMeasurementNames = {"kernels", "pipeline", "psnr", "tune", "lspiro"};

struct BenchOptions {
  std::vector<std::string> words;  // the name of a measurement first, or none; then pictures
  std::string device;
  std::optional<PixelFormat> source;  // default: nv12
  std::optional<Size> size;           // default: 1920x1080
  std::optional<int64_t> rounds;      // of each kernel; default: 30
  std::string only;                   // kernels whose name has this in it
  MethodOptions options{};            // for the methods that have them
  bool everything = false;            // no time limit, no form left out
  bool json = false;
};

struct ScreensOptions {
  bool json = false;
};

struct ListOptions {
  std::optional<nanoseconds> wait;  // default: until all seem to have answered
  bool json = false;
};

// Without an address both ends are this process.
struct LatencyOptions {
  std::string destination;  // the card goes there; empty: it does not leave this machine
  std::string show;         // it comes here, from another machine
  std::string grab;         // of the screen; empty: read off the player's own surface
  bool window = false;      // else off-screen
  bool audio = false;       // clicks too
  EncodingOptions encoding;
  std::optional<Size> size;       // default: 1920x1080
  std::optional<double> fps;      // default: 60
  std::optional<int64_t> frames;  // default: 300; of what comes here all
  bool plain = false;
  LossyOptions lossy;  // its crf only
  transport::FecChoice fec{.kind = transport::FecKind::automatic};
  std::optional<LatencyChoice> latency;  // of the player; default: auto
  bool json = false;
  std::shared_ptr<const LatencyOptions> given{};  // by the command line alone; null: all of it is
};

struct CtlOptions {
  std::string path;                // of the socket
  std::vector<std::string> words;  // the command's name first
  bool json = false;
};

struct DoctorOptions {
  bool prepare = false;                 // builds kernels instead of looking for faults
  std::optional<TextureFormat> format;  // of which; default: the usual ones
  EncodingOptions encoding;             // only the device that builds them
  bool json = false;
};

}  // namespace texcast::cli
