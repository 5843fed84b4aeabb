// values.h — parsers of option values: sizes, times, rates, names. Each returns the value, or one line that says what
// is wrong with the text and what is accepted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/recording_layout.h"
#include "frames/mip_filter.h"
#include "media/frame_source.h"
#include "player/presenter.h"
#include "screen/screen_capture.h"
#include "texcast/decoder.h"
#include "texcast/encoder.h"
#include "texcast/file_coding.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"
#include "texcast/quality.h"
#include "texcast/transform_coding.h"
#include "texcast/tune.h"
#include "transport/fec_spec.h"
#include "transport/rtcp_summary.h"

namespace texcast::cli {

// Part `number` of `count`, from 1.
struct Part {
  int number = 1;
  int count = 1;
};

// Either a size or a duration; the other is 0.
struct Split {
  int64_t bytes = 0;
  nanoseconds duration{};
};

enum class AudioChoice { copy, pcm, none };
enum class SentAudio { pcm, opus, none };
// When a stream begins whose encoder's kernels are not built yet: once they are built or the CPU keeps up; or at once.
enum class StartWhen { ready, now };

// Playout delay of a stream. None: it adapts to the network's jitter.
struct LatencyChoice {
  std::optional<nanoseconds> fixed{};
};

// Which clock says when frames are shown.
enum class PlayClock : uint8_t { own, system };

// A moment: of the system clock, or a time of the present day.
struct Moment {
  WallTime wall{};
  std::optional<nanoseconds> of_day{};  // local time; then `wall` is not set
};

// Bits per second. Both are the same if one value was given.
struct RateRange {
  double least = 0, most = 0;
};

// Whether the coded stream is lossy: neither is lossless.
struct LossyOptions {
  std::optional<double> crf{};         // 0 to 51 (compact/crf.h); with a bit rate: never better than this
  std::optional<RateRange> bitrate{};  // at most, and where the two differ adapted to the network path
  TransformCoding transform = TransformCoding::automatic;  // of a lossy stream

  explicit operator bool() const { return crf || bitrate; }
};

struct Size {
  int width = 0;
  int height = 0;
};

// --resize: to a size, or each side to a power of two.
struct Resize {
  std::optional<Size> size;  // unset: the powers of two that are nearest to the picture's sides
};

Result<Size> parse_size(std::string_view text);                     // "1920x1080", either side 1..kMaxFrameSize
Result<Resize> parse_resize(std::string_view text);                 // "pow2", "512x512"
Result<nanoseconds> parse_time(std::string_view text);              // "90", "1:30", "1:02:03.5", "500ms"
Result<nanoseconds> parse_duration(std::string_view text);          // the same, above 0
Result<double> parse_rate(std::string_view text);                   // "800M", "2.5Gbit/s": bits per second
Result<RateRange> parse_bitrate(std::string_view text);             // "30M", "4M:30M"
Result<double> parse_frame_rate(std::string_view text);             // "59.94", "30000/1001": above 0, up to 1000
Result<Split> parse_split(std::string_view text);                   // "4G", "500MB", "10min", "90s", "1h"
Result<int64_t> parse_bytes(std::string_view text);                 // "4G", "500M": 100k and up
Result<AudioChoice> parse_audio(std::string_view text);             // "copy", "pcm", "none"
Result<transport::FecChoice> parse_hop_fec(std::string_view text);  // "none", "auto", "20%"
Result<transport::ReportChoice> parse_report_choice(std::string_view text);  // "own", "median", "worst"
Result<StartWhen> parse_start_when(std::string_view text);                   // "ready", "now"
Result<SentAudio> parse_sent_audio(std::string_view text);                   // "pcm", "opus", "none"
Result<int64_t> parse_count(std::string_view text);                          // 1 and up
Result<Part> parse_part(std::string_view text);                              // "2/8"
Result<int64_t> parse_tasks(std::string_view text);                          // 1 to 1000
Result<int> parse_retries(std::string_view text);                            // 0 to 20
Result<std::vector<std::string>> parse_list(std::string_view text);          // "a,b": words, none of them empty
Result<int> parse_parts(std::string_view text);                              // "8": 1 to media::kMostParts
Result<double> parse_percent(std::string_view text);   // "1%", above 0, up to 100%: returned as 0..1
Result<int> parse_web_links(std::string_view text);    // 1..1000
Result<int> parse_web_viewers(std::string_view text);  // 1..10000
Result<std::vector<TextureFormat>> parse_web_formats(std::string_view text);  // "etc2,astc-4x4"; "none": empty
Result<int> parse_mtu(std::string_view text);                                 // 576..9000
Result<int> parse_ttl(std::string_view text);                                 // 0..255
Result<nanoseconds> parse_timeout(std::string_view text);                     // seconds, 0.1 and up
Result<double> parse_crf(std::string_view text);                              // 0 to 51
Result<TransformCoding> parse_transform(std::string_view text);               // "on", "off", "auto"
Result<double> parse_refresh(std::string_view text);                          // seconds, 0.1 to 86400; 0: infinity
Result<nanoseconds> parse_max_age(std::string_view text);                     // seconds, 0 and up
Result<PlayClock> parse_clock(std::string_view text);                         // "own", "system"
Result<nanoseconds> parse_delay(std::string_view text);                       // milliseconds 0..1000
Result<Moment> parse_moment(std::string_view text);          // "2026-12-01T20:00:00+01:00", "20:00:00", Unix time
Result<LatencyChoice> parse_latency(std::string_view text);  // "auto", milliseconds 0..1000
Result<TextureFormat> parse_texture_format(std::string_view text);
Result<PixelFormat> parse_pixel_format(std::string_view text);
Result<Quality> parse_quality(std::string_view text);
Result<Method> parse_method(std::string_view text);
Result<TuneMode> parse_tune_mode(std::string_view text);
Result<RecordingLayout> parse_recording_layout(std::string_view text);
Result<FileCoding> parse_file_coding(std::string_view text);
Result<MipFilter> parse_mip_filter(std::string_view text);         // "box", "kaiser"
Result<std::string> parse_still_extension(std::string_view text);  // "ktx2", ".DDS": ".ktx2", ".dds"
Result<int> parse_index(std::string_view text);                    // 0 and up
Result<int> parse_passes(std::string_view text);
Result<int> parse_radius(std::string_view text);
Result<bool> parse_on_off(std::string_view text);
Result<int> parse_chunks(std::string_view text);                        // 1..64, as in FFmpeg's Hap encoder
Result<int> parse_monitor(std::string_view text);                       // 1 and up
Result<double> parse_speed(std::string_view text);                      // 0.25..4
Result<double> parse_volume(std::string_view text);                     // "0" to "100" per cent, returned as 0..1
Result<screen::CursorMode> parse_cursor(std::string_view text);         // "picture", "overlay", "off"
Result<screen::CursorMode> parse_file_cursor(std::string_view text);    // "picture", "off"
Result<player::PicturePart> parse_picture_part(std::string_view text);  // "X,Y,W,H", "2,1 of 4x3"
Result<Size> parse_bezel(std::string_view text);                        // "40", "40x60": each 0..4096
Result<player::ScaleMode> parse_scale(std::string_view text);           // "fit", "fill", "1:1"
Result<double> parse_exposure(std::string_view text);                   // stops: -16 to 16
Result<player::Mirror> parse_mirror(std::string_view text);             // "none", "horizontal", "vertical"
Result<player::Vsync> parse_vsync(std::string_view text);               // "on", "off", "adaptive"
Result<EndpointExpansion> parse_expansion(std::string_view text);       // "ffmpeg", "replicate"

Result<std::optional<int>> parse_rotation(std::string_view text);        // "auto": none; "0", "90", "180", "270"
Result<std::optional<PixelAspect>> parse_aspect(std::string_view text);  // "auto": none; "16:9", "1.85": the picture's
Result<media::Deinterlace> parse_deinterlace(std::string_view text);     // "auto", "on", "off"

}  // namespace texcast::cli
