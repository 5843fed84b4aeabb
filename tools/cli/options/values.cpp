#include "cli/values.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "compact/crf.h"
#include "frames/tone_map.h"

namespace texcast::cli {
namespace {

// The number that is all of `text`; infinities and NaN, which from_chars accepts, are none.
template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

std::optional<double> scale_of(char suffix) {
  switch (suffix) {
    case 'k':
    case 'K': return 1e3;
    case 'M': return 1e6;
    case 'G': return 1e9;
    default: return std::nullopt;
  }
}

}  // namespace

Result<Size> parse_size(std::string_view text) {
  const size_t cross = text.find('x');
  if (cross != std::string_view::npos) {
    const auto width = number<int>(text.substr(0, cross));
    const auto height = number<int>(text.substr(cross + 1));
    if (width && height && *width >= 1 && *height >= 1 && *width <= kMaxFrameSize && *height <= kMaxFrameSize)
      return Size{*width, *height};
  }
  return Failure{fmt::format("invalid size '{}'; give WIDTHxHEIGHT, each 1 to {}, as 1920x1080", text, kMaxFrameSize)};
}

Result<Resize> parse_resize(std::string_view text) {
  if (text == "pow2") return Resize{};
  if (const auto size = parse_size(text)) return Resize{*size};
  return Failure{
      fmt::format("invalid size '{}'; give pow2 or WIDTHxHEIGHT, each 1 to {}, as 512x512", text, kMaxFrameSize)};
}

Result<nanoseconds> parse_time(std::string_view text) {
  const Failure wrong{fmt::format("invalid time '{}'; give seconds (90, 1.5) or [H:]MM:SS (1:30)", text)};
  constexpr double kLongestSeconds = 1e9;  // 31 years; keeps the nanoseconds inside 63 bits
  double seconds = 0;
  std::string_view rest = text;
  for (int part = 0; part < 3; ++part) {
    const size_t colon = rest.find(':');
    const auto value = number<double>(rest.substr(0, colon));
    if (!value || *value < 0) return wrong;
    seconds = seconds * 60 + *value;
    if (seconds > kLongestSeconds) return wrong;
    if (colon == std::string_view::npos) return nanoseconds(std::llround(seconds * 1e9));
    rest = rest.substr(colon + 1);
  }
  return wrong;
}

Result<double> parse_rate(std::string_view text) {
  const auto scale = text.empty() ? std::nullopt : scale_of(text.back());
  const auto value = number<double>(scale ? text.substr(0, text.size() - 1) : text);
  const double bits = value.value_or(0) * scale.value_or(1);
  if (bits >= 1000 && bits <= 1e12) return bits;
  return Failure{fmt::format("invalid rate '{}'; give bits per second, 1k to 1000G, as 800M or 2.5G", text)};
}

Result<RateRange> parse_bitrate(std::string_view text) {
  const size_t colon = text.find(':');
  const auto least = parse_rate(text.substr(0, colon));
  const auto most = colon == std::string_view::npos ? least : parse_rate(text.substr(colon + 1));
  if (least && most && *least <= *most) return RateRange{*least, *most};
  return Failure{
      fmt::format("invalid bit rate '{}'; give bits per second, as 30M, or minimum and maximum, as 4M:30M", text)};
}

Result<double> parse_frame_rate(std::string_view text) {
  const size_t slash = text.find('/');
  const auto above = number<double>(text.substr(0, slash));
  const auto below = slash == std::string_view::npos ? std::optional(1.0) : number<double>(text.substr(slash + 1));
  if (above && below && *above > 0 && *below > 0 && *above / *below <= 1000 && *above / *below >= 1e-3)
    return *above / *below;
  return Failure{fmt::format("invalid frame rate '{}'; give frames per second, up to 1000, as 60 or 30000/1001", text)};
}

Result<Split> parse_split(std::string_view text) {
  constexpr double kMostBytes = 1e15, kLongestSeconds = 1e9;
  const auto before = [&](std::string_view unit) -> std::optional<double> {
    if (!text.ends_with(unit)) return std::nullopt;
    return number<double>(text.substr(0, text.size() - unit.size()));
  };
  for (const auto& [unit, seconds] : {std::pair{"min", 60.0}, std::pair{"h", 3600.0}, std::pair{"s", 1.0}})
    if (const auto count = before(unit); count && *count * seconds >= 0.1 && *count * seconds <= kLongestSeconds)
      return Split{.duration = nanoseconds(std::llround(*count * seconds * 1e9))};
  if (const auto scale = text.empty() ? std::nullopt : scale_of(text.back()))
    if (const auto count = number<double>(text.substr(0, text.size() - 1));
        count && *count * *scale >= 1e5 && *count * *scale <= kMostBytes)
      return Split{.bytes = std::llround(*count * *scale)};
  return Failure{
      fmt::format("invalid size or duration '{}'; give bytes (100k and up: 500M, 4G) or a time (90s, "
                  "10min, 1h)",
                  text)};
}

Result<int64_t> parse_bytes(std::string_view text) {
  if (const auto split = parse_split(text); split && split->bytes > 0) return split->bytes;
  return Failure{fmt::format("invalid size '{}'; give bytes, 100k and up, as 500M or 4G", text)};
}

Result<AudioChoice> parse_audio(std::string_view text) {
  if (text == "copy") return AudioChoice::copy;
  if (text == "pcm") return AudioChoice::pcm;
  if (text == "none") return AudioChoice::none;
  return Failure{fmt::format("unknown audio mode '{}'; choose copy, pcm or none", text)};
}

Result<StartWhen> parse_start_when(std::string_view text) {
  if (text == "ready") return StartWhen::ready;
  if (text == "now") return StartWhen::now;
  return Failure{fmt::format("unknown start '{}'; choose ready or now", text)};
}

Result<SentAudio> parse_sent_audio(std::string_view text) {
  if (text == "pcm") return SentAudio::pcm;
  if (text == "opus") return SentAudio::opus;
  if (text == "none") return SentAudio::none;
  return Failure{fmt::format("unknown audio coding '{}'; choose pcm, opus or none", text)};
}

Result<int64_t> parse_count(std::string_view text) {
  if (const auto count = number<int64_t>(text); count && *count >= 1) return *count;
  return Failure{fmt::format("invalid count '{}'; give a whole number from 1", text)};
}

Result<int> parse_mtu(std::string_view text) {
  if (const auto bytes = number<int>(text); bytes && *bytes >= 576 && *bytes <= 9000) return *bytes;
  return Failure{fmt::format("invalid packet size '{}'; give bytes, 576 to 9000", text)};
}

Result<int> parse_ttl(std::string_view text) {
  if (const auto ttl = number<int>(text); ttl && *ttl >= 0 && *ttl <= 255) return *ttl;
  return Failure{fmt::format("invalid TTL '{}'; give 0 to 255", text)};
}

Result<nanoseconds> parse_timeout(std::string_view text) {
  constexpr double kLongestSeconds = 1e9;
  if (const auto seconds = number<double>(text); seconds && *seconds >= 0.1 && *seconds <= kLongestSeconds)
    return nanoseconds(std::llround(*seconds * 1e9));
  return Failure{fmt::format("invalid time '{}'; give seconds, 0.1 and up", text)};
}

Result<double> parse_refresh(std::string_view text) {
  constexpr double kLeast = 0.1, kMost = 86400;
  const auto seconds = number<double>(text);
  if (seconds && *seconds == 0) return std::numeric_limits<double>::infinity();
  if (seconds && *seconds >= kLeast && *seconds <= kMost) return *seconds;
  return Failure{
      fmt::format("invalid refresh period '{}'; give {} to {} seconds, or 0 for never", text, kLeast, kMost)};
}

Result<double> parse_crf(std::string_view text) {
  if (const auto crf = number<double>(text); crf && compact::is_crf(*crf)) return *crf;
  return Failure{fmt::format("invalid crf '{}'; give 0 (best) to 51", text)};
}

Result<nanoseconds> parse_max_age(std::string_view text) {
  constexpr double kLongestSeconds = 1e9;
  if (const auto seconds = number<double>(text); seconds && *seconds >= 0 && *seconds <= kLongestSeconds)
    return nanoseconds(std::llround(*seconds * 1e9));
  return Failure{fmt::format("invalid age '{}'; give seconds, or 0 for no check", text)};
}

Result<LatencyChoice> parse_latency(std::string_view text) {
  if (text == "auto") return LatencyChoice{};
  if (const auto ms = number<double>(text); ms && *ms >= 0 && *ms <= 1000)
    return LatencyChoice{nanoseconds(std::llround(*ms * 1e6))};
  return Failure{fmt::format("invalid latency '{}'; give auto, or milliseconds from 0 to 1000", text)};
}

Result<TextureFormat> parse_texture_format(std::string_view text) {
  const auto format = texture_format_from_name(text);
  if (format && is_encoded(*format)) return *format;
  if (format)
    return Failure{
        fmt::format("{} can be received, shown and decoded, but not encoded; choose one of "
                    "{}",
                    text, list_texture_formats())};
  return Failure{fmt::format("unknown format '{}'; choose one of {}", text, list_texture_formats())};
}

Result<PixelFormat> parse_pixel_format(std::string_view text) {
  if (const auto format = pixel_format_from_name(text)) return *format;
  std::string names;
  for (int i = 0; i < kPixelFormatCount; ++i)
    names.append(names.empty() ? "" : ", ").append(name(static_cast<PixelFormat>(i)));
  return Failure{fmt::format("unknown pixel format '{}'; choose one of {}", text, names)};
}

Result<Quality> parse_quality(std::string_view text) {
  if (const auto quality = quality_from_name(text)) return *quality;
  return Failure{fmt::format("unknown quality '{}'; choose fast, normal, high or best", text)};
}

Result<Method> parse_method(std::string_view text) {
  if (const auto method = method_from_name(text)) return *method;
  return Failure{fmt::format("unknown method '{}'; choose one of {}", text, list_methods(TextureFormat::bc1))};
}
Result<TuneMode> parse_tune_mode(std::string_view text) {
  if (const auto mode = tune_mode_from_name(text)) return *mode;
  return Failure{fmt::format("unknown tuning mode '{}'; choose one of {}", text, list_tune_modes())};
}

Result<RecordingLayout> parse_recording_layout(std::string_view text) {
  if (const auto layout = recording_layout_from_name(text)) return *layout;
  return Failure{fmt::format("unknown layout '{}'; choose hapq or planes", text)};
}

Result<FileCoding> parse_file_coding(std::string_view text) {
  if (text == "plain") return FileCoding::plain;
  if (text == "compact") return FileCoding::compact;
  return Failure{fmt::format("unknown coding '{}'; choose plain or compact", text)};
}

Result<MipFilter> parse_mip_filter(std::string_view text) {
  if (const auto filter = mip_filter_from_name(text)) return *filter;
  return Failure{fmt::format("unknown filter '{}'; choose box or kaiser", text)};
}

Result<int> parse_index(std::string_view text) {
  if (const auto index = number<int>(text); index && *index >= 0) return *index;
  return Failure{fmt::format("invalid index '{}'; give 0 for the first, 1 for the second", text)};
}

Result<int> parse_passes(std::string_view text) {
  if (const auto passes = number<int>(text); passes && *passes >= 1 && *passes <= kMaxLspiroPasses) return *passes;
  return Failure{fmt::format("invalid number of passes '{}'; give 1 to {}", text, kMaxLspiroPasses)};
}

Result<int> parse_radius(std::string_view text) {
  if (const auto radius = number<int>(text); radius && *radius >= 1 && *radius <= kMaxLspiroRadius) return *radius;
  return Failure{fmt::format("invalid radius '{}'; give 1 to {}", text, kMaxLspiroRadius)};
}

Result<bool> parse_on_off(std::string_view text) {
  if (text == "on") return true;
  if (text == "off") return false;
  return Failure{fmt::format("invalid value '{}'; give on or off", text)};
}

Result<int> parse_chunks(std::string_view text) {
  constexpr int kMaxChunks = 64;
  if (const auto chunks = number<int>(text); chunks && *chunks >= 1 && *chunks <= kMaxChunks) return *chunks;
  return Failure{fmt::format("invalid number of chunks '{}'; give 1 to {}", text, kMaxChunks)};
}

Result<int> parse_monitor(std::string_view text) {
  if (const auto monitor = number<int>(text); monitor && *monitor >= 1) return *monitor;
  return Failure{fmt::format("invalid monitor '{}'; give 1 for the first, 2 for the second", text)};
}

Result<double> parse_speed(std::string_view text) {
  if (const auto speed = number<double>(text); speed && *speed >= 0.25 && *speed <= 4) return *speed;
  return Failure{fmt::format("invalid speed '{}'; give 0.25 to 4", text)};
}

Result<double> parse_exposure(std::string_view text) {
  if (const auto stops = number<double>(text); stops && *stops >= -kMaxExposure && *stops <= kMaxExposure)
    return *stops;
  return Failure{fmt::format("invalid exposure '{}'; give stops from -16 to 16", text)};
}

Result<double> parse_volume(std::string_view text) {
  if (const auto percent = number<double>(text); percent && *percent >= 0 && *percent <= 100) return *percent / 100;
  return Failure{fmt::format("invalid volume '{}'; give 0 to 100", text)};
}

Result<screen::CursorMode> parse_cursor(std::string_view text) {
  if (text == "picture") return screen::CursorMode::picture;
  if (text == "overlay") return screen::CursorMode::overlay;
  if (text == "off") return screen::CursorMode::off;
  return Failure{fmt::format("unknown cursor mode '{}'; choose picture, overlay or off", text)};
}

Result<screen::CursorMode> parse_file_cursor(std::string_view text) {
  const auto mode = parse_cursor(text);
  if (mode && *mode != screen::CursorMode::overlay) return *mode;
  return Failure{mode ? "overlay is for streams; for a file choose picture or off"
                      : fmt::format("unknown cursor mode '{}'; choose picture or off", text)};
}

Result<player::ScaleMode> parse_scale(std::string_view text) {
  using player::ScaleMode;
  for (const ScaleMode mode : {ScaleMode::fit, ScaleMode::fill, ScaleMode::exact})
    if (text == name(mode)) return mode;
  return Failure{fmt::format("unknown scale '{}'; choose fit, fill or 1:1", text)};
}

Result<player::Mirror> parse_mirror(std::string_view text) {
  using player::Mirror;
  if (text == "none") return Mirror::none;
  if (text == "horizontal") return Mirror::horizontal;
  if (text == "vertical") return Mirror::vertical;
  return Failure{fmt::format("unknown mirror '{}'; choose none, horizontal or vertical", text)};
}

Result<player::Vsync> parse_vsync(std::string_view text) {
  using player::Vsync;
  if (text == "on") return Vsync::on;
  if (text == "off") return Vsync::off;
  if (text == "adaptive") return Vsync::adaptive;
  return Failure{fmt::format("unknown vsync '{}'; choose on, off or adaptive", text)};
}

Result<EndpointExpansion> parse_expansion(std::string_view text) {
  if (text == "ffmpeg") return EndpointExpansion::ffmpeg;
  if (text == "replicate") return EndpointExpansion::replicate;
  return Failure{fmt::format("unknown expansion '{}'; choose ffmpeg or replicate", text)};
}

Result<std::optional<int>> parse_rotation(std::string_view text) {
  if (text == "auto") return std::optional<int>();
  for (const int degrees : {0, 90, 180, 270})
    if (text == std::to_string(degrees)) return std::optional(degrees);
  return Failure{fmt::format("invalid rotation '{}'; give auto, or degrees clockwise: 0, 90, 180, 270", text)};
}

Result<std::optional<PixelAspect>> parse_aspect(std::string_view text) {
  using Aspect = std::optional<PixelAspect>;
  if (text == "auto") return Aspect();
  const size_t colon = text.find_first_of(":/");
  const auto width = number<double>(text.substr(0, colon));
  const auto height = colon == std::string_view::npos ? std::optional(1.0) : number<double>(text.substr(colon + 1));
  if (width && height && *width > 0 && *height > 0) {
    // The simplest ratio that rounds to the given number: 1.85 is 37:20, 1.7778 is 16:9.
    constexpr double kDigits = 5e-5;
    const double ratio = *width / *height;
    const bool is_whole = *width == std::floor(*width) && *height == std::floor(*height) && *width < 1e6;
    const Aspect aspect = is_whole && *height < 1e6
                              ? pixel_aspect(static_cast<int64_t>(*width), static_cast<int64_t>(*height))
                              : simplest_aspect(ratio, ratio * kDigits);
    if (aspect) return aspect;
  }
  return Failure{fmt::format("invalid aspect ratio '{}'; give auto, W:H as 16:9, or W/H as 1.85; 1:{} to {}:1", text,
                             kMaxPixelAspect, kMaxPixelAspect)};
}

Result<media::Deinterlace> parse_deinterlace(std::string_view text) {
  using media::Deinterlace;
  if (text == "auto") return Deinterlace::automatic;
  if (text == "on") return Deinterlace::on;
  if (text == "off") return Deinterlace::off;
  return Failure{fmt::format("unknown deinterlacing mode '{}'; choose auto, on or off", text)};
}

}  // namespace texcast::cli
