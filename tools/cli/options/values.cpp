#include "cli/values.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compact/crf.h"
#include "frames/tone_map.h"
#include "media/recorded_part.h"
#include "text/figures.h"
#include "text/nearest.h"

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

constexpr double kLongestSeconds = 1e9;  // 31 years; keeps the nanoseconds inside 63 bits

// A time with a unit: "500ms", "10s", "2min", "1h". Nothing if there is no unit.
std::optional<double> seconds_with_unit(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"ms", 1e-3}, {"s", 1.0},    {"sec", 1.0},
                                                            {"m", 60.0},  {"min", 60.0}, {"h", 3600.0}};
  const size_t digits = std::min(text.find_first_not_of("0123456789.+-eE"), text.size());
  for (const auto& [unit, seconds] : kUnits)
    if (text.substr(digits) == unit)
      if (const auto count = number<double>(text.substr(0, digits))) return *count * seconds;
  return std::nullopt;
}

// A time with or without a unit; without one `plain` is that of the option, in seconds.
std::optional<double> seconds_of(std::string_view text, double plain = 1) {
  if (const auto seconds = seconds_with_unit(text)) return seconds;
  const auto count = number<double>(text);
  return count ? std::optional(*count * plain) : std::nullopt;
}

nanoseconds to_nanoseconds(double seconds) { return nanoseconds(std::llround(seconds * 1e9)); }

// `text` without the unit at its end, if it has one of those.
std::string_view without_unit(std::string_view text, std::initializer_list<std::string_view> units) {
  for (const std::string_view unit : units)
    if (text.ends_with(unit)) return text.substr(0, text.size() - unit.size());
  return text;
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

template <typename T>
using Choices = std::vector<std::pair<std::string, T>>;

// The choices of an array of values that have names.
template <typename Values>
auto named(const Values& values) {
  Choices<typename Values::value_type> choices;
  for (const auto value : values) choices.emplace_back(name(value), value);
  return choices;
}

// The value of that name, in upper or lower case. `what` names such a value in the message.
template <typename T>
Result<T> one_of(std::string_view text, const char* what, const Choices<T>& choices) {
  const std::string wanted = lower_case(text);
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (name == wanted) return value;
    names.push_back(name);
  }
  const std::string hint = did_you_mean(text, names);
  const std::string last = names.back();
  names.pop_back();
  return Failure{fmt::format("unknown {} '{}'; choose {} or {}{}", what, text, joined(names, ", "), last, hint)};
}

constexpr int kMostCells = 64;  // across and down
constexpr int kMostBezel = 4096;

// Numbers with commas between them; blanks around them do not matter.
std::vector<int> numbers(std::string_view text) {
  std::vector<int> found;
  while (true) {
    const size_t end = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, end);
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    word = word.substr(0, word.find_last_not_of(' ') + 1);
    const auto value = number<int>(word);
    if (!value) return {};
    found.push_back(*value);
    if (end == text.size()) return found;
    text.remove_prefix(end + 1);
  }
}

std::optional<player::WallCell> wall_cell(std::string_view text) {
  const size_t of = text.find("of");
  if (of == std::string_view::npos) return std::nullopt;
  const std::vector<int> cell = numbers(text.substr(0, of));
  std::string_view grid = text.substr(of + 2);
  grid.remove_prefix(std::min(grid.find_first_not_of(' '), grid.size()));
  const auto size = parse_size(grid);
  if (cell.size() != 2 || !size || size->width > kMostCells || size->height > kMostCells) return std::nullopt;
  if (cell[0] < 1 || cell[1] < 1 || cell[0] > size->width || cell[1] > size->height) return std::nullopt;
  return player::WallCell{.column = cell[0], .row = cell[1], .columns = size->width, .rows = size->height};
}

bool is_rectangle(const std::vector<int>& sides) {
  const auto fits = [](int value, int least) { return value >= least && value <= kMaxFrameSize; };
  return sides.size() == 4 && fits(sides[0], 0) && fits(sides[1], 0) && fits(sides[2], 1) && fits(sides[3], 1);
}

// The whole number of `digits` digits at the beginning of `text`, which is shortened by them and by `behind`, if that
// follows (else there is none).
std::optional<int> take_digits(std::string_view& text, size_t digits, std::string_view behind = "") {
  if (text.size() < digits || text.substr(0, digits).find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  if (!text.substr(digits).starts_with(behind)) return std::nullopt;
  const auto value = number<int>(text.substr(0, digits));
  text.remove_prefix(digits + behind.size());
  return value;
}

// "HH:MM:SS" or "HH:MM:SS.fff" at the beginning of `text`, which is shortened by it.
std::optional<nanoseconds> take_time(std::string_view& text) {
  const auto hours = take_digits(text, 2, ":"), minutes = take_digits(text, 2, ":");
  const auto seconds = take_digits(text, 2);
  if (!hours || !minutes || !seconds || *hours > 23 || *minutes > 59 || *seconds > 60) return std::nullopt;
  nanoseconds time = std::chrono::hours(*hours) + std::chrono::minutes(*minutes) + std::chrono::seconds(*seconds);
  if (!text.starts_with('.')) return time;
  const size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
  const auto fraction = number<double>(text.substr(0, end));
  text.remove_prefix(end);
  return fraction ? std::optional(time + to_nanoseconds(*fraction)) : std::nullopt;
}

std::optional<nanoseconds> time_of_day(std::string_view text) {
  const auto time = take_time(text);
  return text.empty() ? time : std::nullopt;
}

// "Z", "+01:00".
std::optional<nanoseconds> zone_offset(std::string_view text) {
  if (text == "Z" || text == "z") return nanoseconds{};
  const bool east = text.starts_with('+');
  if (!east && !text.starts_with('-')) return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2, ":"), minutes = take_digits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  const nanoseconds offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return east ? offset : -offset;
}

std::optional<WallTime> rfc3339_time(std::string_view text) {
  const auto year = take_digits(text, 4, "-"), month = take_digits(text, 2, "-"), day = take_digits(text, 2);
  if (!year || !month || !day || text.empty() || std::string_view("Tt ").find(text[0]) == std::string_view::npos)
    return std::nullopt;
  text.remove_prefix(1);
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  const auto time = take_time(text);
  const auto offset = zone_offset(text);
  if (!date.ok() || *year < 1970 || *year > 2200 || !time || !offset) return std::nullopt;
  return WallTime(std::chrono::sys_days(date)) + *time - *offset;
}

}  // namespace

Result<player::PicturePart> parse_picture_part(std::string_view text) {
  if (const auto cell = wall_cell(text)) return player::PicturePart{.cell = cell};
  if (const std::vector<int> sides = numbers(text); is_rectangle(sides))
    return player::PicturePart{.rect = {sides[0], sides[1], sides[2], sides[3]}};
  return Failure{
      fmt::format("invalid part '{}'; give X,Y,WIDTH,HEIGHT in pixels (960,0,960,720), or a cell as "
                  "'COLUMN,ROW of COLUMNSxROWS', counted from 1 ('2,1 of 4x3', at most {}x{})",
                  text, kMostCells, kMostCells)};
}

Result<Size> parse_bezel(std::string_view text) {
  const size_t cross = std::min(text.find('x'), text.size());
  const auto width = number<int>(text.substr(0, cross));
  const auto height = cross < text.size() ? number<int>(text.substr(cross + 1)) : width;
  if (width && height && *width >= 0 && *height >= 0 && *width <= kMostBezel && *height <= kMostBezel)
    return Size{*width, *height};
  return Failure{
      fmt::format("invalid bezel '{}'; give the hidden pixels between two cells, WIDTH or WIDTHxHEIGHT, "
                  "each 0 to {}",
                  text, kMostBezel)};
}

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
  const Failure wrong{
      fmt::format("invalid time '{}'; give seconds (90, 1.5), [H:]MM:SS (1:30), or a number with ms, s, "
                  "min or h (500ms, 2min)",
                  text)};
  if (const auto time = seconds_with_unit(text))
    return *time >= 0 && *time <= kLongestSeconds ? Result<nanoseconds>(to_nanoseconds(*time)) : wrong;
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

Result<nanoseconds> parse_duration(std::string_view text) {
  const auto time = parse_time(text);
  if (time && *time == nanoseconds{}) return Failure{fmt::format("invalid duration '{}'; give more than 0", text)};
  return time;
}

Result<double> parse_rate(std::string_view text) {
  const std::string_view count = without_unit(text, {"bit/s", "bits/s", "bps", "bit", "bits", "b/s"});
  // "4m" is 4 million, too, as nobody means thousandths of a bit.
  const auto scale = count.empty() ? std::nullopt : count.back() == 'm' ? std::optional(1e6) : scale_of(count.back());
  const auto value = number<double>(scale ? count.substr(0, count.size() - 1) : count);
  const double bits = value.value_or(0) * scale.value_or(1);
  if (bits >= 1000 && bits <= 1e12) return bits;
  return Failure{fmt::format("invalid rate '{}'; give bits per second, 1k to 1000G, as 800M, 2.5G or 4Mbit/s", text)};
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
  constexpr double kMostBytes = 1e15;
  if (const auto time = seconds_with_unit(text); time && *time >= 0.1 && *time <= kLongestSeconds)
    return Split{.duration = to_nanoseconds(*time)};
  const std::string_view bytes = without_unit(text, {"B"});
  if (const auto scale = bytes.empty() ? std::nullopt : scale_of(bytes.back()))
    if (const auto count = number<double>(bytes.substr(0, bytes.size() - 1));
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
  return one_of<AudioChoice>(text, "audio mode",
                             {{"copy", AudioChoice::copy}, {"pcm", AudioChoice::pcm}, {"none", AudioChoice::none}});
}

Result<StartWhen> parse_start_when(std::string_view text) {
  return one_of<StartWhen>(text, "start", {{"ready", StartWhen::ready}, {"now", StartWhen::now}});
}

Result<transport::FecChoice> parse_hop_fec(std::string_view text) {
  const auto fec = transport::parse_fec(text);
  if (fec && (is_ultragrid(*fec) || fec->copies > 1))
    return Failure{fmt::format("'{}' is not for a relay: give none, auto or N%", text)};
  return fec;
}

Result<transport::ReportChoice> parse_report_choice(std::string_view text) {
  using transport::ReportChoice;
  return one_of<ReportChoice>(
      text, "report", {{"own", ReportChoice::own}, {"median", ReportChoice::median}, {"worst", ReportChoice::worst}});
}

Result<SentAudio> parse_sent_audio(std::string_view text) {
  return one_of<SentAudio>(text, "audio coding",
                           {{"pcm", SentAudio::pcm}, {"opus", SentAudio::opus}, {"none", SentAudio::none}});
}

Result<int64_t> parse_count(std::string_view text) {
  if (const auto count = number<int64_t>(text); count && *count >= 1) return *count;
  return Failure{fmt::format("invalid count '{}'; give a whole number from 1", text)};
}

Result<int64_t> parse_tasks(std::string_view text) {
  if (const auto tasks = number<int64_t>(text); tasks && *tasks >= 1 && *tasks <= 1000) return *tasks;
  return Failure{fmt::format("invalid number of tasks '{}'; give 1 to 1000", text)};
}

Result<int> parse_retries(std::string_view text) {
  if (const auto retries = number<int>(text); retries && *retries >= 0 && *retries <= 20) return *retries;
  return Failure{fmt::format("invalid number of retries '{}'; give 0 to 20", text)};
}

Result<Part> parse_part(std::string_view text) {
  const size_t slash = text.find('/');
  const auto part = number<int>(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : number<int>(text.substr(slash + 1));
  if (part && count && *part >= 1 && *part <= *count && *count <= media::kMostParts) return Part{*part, *count};
  return Failure{
      fmt::format("invalid part '{}'; give K/N, as 2/8, with K from 1 to N and N up to {}", text, media::kMostParts)};
}

Result<int> parse_parts(std::string_view text) {
  if (const auto parts = number<int>(text); parts && *parts >= 1 && *parts <= media::kMostParts) return *parts;
  return Failure{fmt::format("invalid number of parts '{}'; give 1 to {}", text, media::kMostParts)};
}

Result<double> parse_percent(std::string_view text) {
  const auto percent = text.ends_with('%') ? number<double>(text.substr(0, text.size() - 1)) : std::nullopt;
  if (percent && *percent > 0 && *percent <= 100) return *percent / 100;
  return Failure{fmt::format("invalid share '{}'; give per cent, above 0% up to 100%, as 1%", text)};
}

Result<int> parse_web_links(std::string_view text) {
  if (const auto links = number<int>(text); links && *links >= 1 && *links <= 1000) return *links;
  return Failure{fmt::format("invalid number of links '{}'; give 1 to 1000", text)};
}

Result<int> parse_web_viewers(std::string_view text) {
  if (const auto viewers = number<int>(text); viewers && *viewers >= 1 && *viewers <= 10'000) return *viewers;
  return Failure{fmt::format("invalid number of viewers '{}'; give 1 to 10000", text)};
}

Result<std::vector<TextureFormat>> parse_web_formats(std::string_view text) {
  std::vector<TextureFormat> formats;
  if (text == "none") return formats;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const auto format = parse_texture_format(text.substr(at, end - at));
    if (!format) return Failure{format.error()};
    formats.push_back(*format);
    at = end + 1;
  }
  return formats;
}

Result<std::vector<std::string>> parse_list(std::string_view text) {
  std::vector<std::string> words;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    words.emplace_back(text.substr(at, end - at));
    if (words.back().empty())
      return Failure{fmt::format("an empty word in '{}'; give words with commas between", text)};
    at = end + 1;
  }
  return words;
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
  if (const auto seconds = seconds_of(text); seconds && *seconds >= 0.1 && *seconds <= kLongestSeconds)
    return to_nanoseconds(*seconds);
  return Failure{fmt::format("invalid time '{}'; give seconds, 0.1 and up, or a unit (500ms, 2min)", text)};
}

Result<double> parse_refresh(std::string_view text) {
  constexpr double kLeast = 0.1, kMost = 86400;
  const auto seconds = seconds_of(text);
  if (seconds && *seconds == 0) return std::numeric_limits<double>::infinity();
  if (seconds && *seconds >= kLeast && *seconds <= kMost) return *seconds;
  return Failure{
      fmt::format("invalid refresh period '{}'; give {} to {} seconds, or 0 for never", text, kLeast, kMost)};
}

Result<double> parse_crf(std::string_view text) {
  if (const auto crf = number<double>(text); crf && compact::is_crf(*crf)) return *crf;
  return Failure{fmt::format("invalid crf '{}'; give 0 (best) to 51", text)};
}

Result<TransformCoding> parse_transform(std::string_view text) {
  if (text == "auto") return TransformCoding::automatic;
  if (text == "on") return TransformCoding::on;
  if (text == "off") return TransformCoding::off;
  return Failure{fmt::format("invalid transform coding '{}'; give on, off or auto", text)};
}

Result<nanoseconds> parse_max_age(std::string_view text) {
  if (const auto seconds = seconds_of(text); seconds && *seconds >= 0 && *seconds <= kLongestSeconds)
    return to_nanoseconds(*seconds);
  return Failure{fmt::format("invalid age '{}'; give seconds, or 0 for no check", text)};
}

Result<LatencyChoice> parse_latency(std::string_view text) {
  if (text == "auto") return LatencyChoice{};
  constexpr double kMilliseconds = 1e-3;
  if (const auto seconds = seconds_of(text, kMilliseconds); seconds && *seconds >= 0 && *seconds <= 1)
    return LatencyChoice{to_nanoseconds(*seconds)};
  return Failure{fmt::format("invalid latency '{}'; give auto, or milliseconds from 0 to 1000", text)};
}

Result<nanoseconds> parse_delay(std::string_view text) {
  constexpr double kMilliseconds = 1e-3;
  if (const auto seconds = seconds_of(text, kMilliseconds); seconds && *seconds >= 0 && *seconds <= 1)
    return to_nanoseconds(*seconds);
  return Failure{fmt::format("invalid delay '{}'; give milliseconds from 0 to 1000", text)};
}

Result<PlayClock> parse_clock(std::string_view text) {
  return one_of(text, "clock", Choices<PlayClock>{{"own", PlayClock::own}, {"system", PlayClock::system}});
}

Result<Moment> parse_moment(std::string_view text) {
  if (const auto wall = rfc3339_time(text)) return Moment{.wall = *wall};
  if (const auto time = time_of_day(text)) return Moment{.of_day = *time};
  constexpr double kLatest = 8e9;  // in the year 2223; nanoseconds have room until 2262
  if (const auto seconds = number<double>(text); seconds && *seconds >= 0 && *seconds <= kLatest)
    return Moment{.wall = WallTime(to_nanoseconds(*seconds))};
  return Failure{
      fmt::format("invalid time '{}'; give 2026-12-01T20:00:00Z (RFC 3339), HH:MM:SS of today, or seconds "
                  "since 1970",
                  text)};
}

Result<TextureFormat> parse_texture_format(std::string_view text) {
  const std::string wanted = lower_case(text);
  const auto format = texture_format_from_name(wanted);
  if (format && is_encoded(*format)) return *format;
  if (format)
    return Failure{fmt::format("{} can be received, shown and decoded, but not encoded; choose one of {}", wanted,
                               list_texture_formats())};
  std::vector<std::string> names;
  for (const TextureFormat one : encoded_formats()) names.emplace_back(name(one));
  const std::string hint = did_you_mean(text, names);
  return Failure{
      fmt::format("unknown format '{}'{}", text, hint.empty() ? "; choose one of " + list_texture_formats() : hint)};
}

Result<PixelFormat> parse_pixel_format(std::string_view text) {
  const std::string wanted = lower_case(text);
  if (const auto format = pixel_format_from_name(wanted)) return *format;
  std::vector<std::string> names;
  for (int i = 0; i < kPixelFormatCount; ++i) names.emplace_back(name(static_cast<PixelFormat>(i)));
  return Failure{fmt::format("unknown pixel format '{}'; choose one of {}{}", text, joined(names, ", "),
                             did_you_mean(text, names))};
}

Result<Quality> parse_quality(std::string_view text) { return one_of(text, "quality", named(kQualities)); }

Result<Method> parse_method(std::string_view text) { return one_of(text, "method", named(kMethods)); }
Result<TuneMode> parse_tune_mode(std::string_view text) { return one_of(text, "tuning mode", named(kTuneModes)); }

Result<RecordingLayout> parse_recording_layout(std::string_view text) {
  return one_of(text, "layout", named(kRecordingLayouts));
}

Result<FileCoding> parse_file_coding(std::string_view text) {
  return one_of<FileCoding>(text, "coding", {{"plain", FileCoding::plain}, {"compact", FileCoding::compact}});
}

Result<std::string> parse_still_extension(std::string_view text) {
  std::string extension(text.starts_with(".") ? text : "." + std::string(text));
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".ktx2" || extension == ".dds" || extension == ".astc") return extension;
  return Failure{fmt::format("'{}' is no kind of texture; choose ktx2, dds or astc", text)};
}

Result<MipFilter> parse_mip_filter(std::string_view text) { return one_of(text, "filter", named(kMipFilters)); }

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
  const std::string wanted = lower_case(text);
  if (wanted == "on") return true;
  if (wanted == "off") return false;
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
  using screen::CursorMode;
  return one_of<CursorMode>(
      text, "cursor mode",
      {{"picture", CursorMode::picture}, {"overlay", CursorMode::overlay}, {"off", CursorMode::off}});
}

Result<screen::CursorMode> parse_file_cursor(std::string_view text) {
  using screen::CursorMode;
  if (lower_case(text) == "overlay") return Failure{"overlay is for streams; for a file choose picture or off"};
  return one_of<CursorMode>(text, "cursor mode", {{"picture", CursorMode::picture}, {"off", CursorMode::off}});
}

Result<player::ScaleMode> parse_scale(std::string_view text) {
  using player::ScaleMode;
  return one_of(text, "scale", named(std::array{ScaleMode::fit, ScaleMode::fill, ScaleMode::exact}));
}

Result<player::Mirror> parse_mirror(std::string_view text) {
  using player::Mirror;
  return one_of<Mirror>(text, "mirror",
                        {{"none", Mirror::none}, {"horizontal", Mirror::horizontal}, {"vertical", Mirror::vertical}});
}

Result<player::Vsync> parse_vsync(std::string_view text) {
  using player::Vsync;
  return one_of<Vsync>(text, "vsync", {{"on", Vsync::on}, {"off", Vsync::off}, {"adaptive", Vsync::adaptive}});
}

Result<EndpointExpansion> parse_expansion(std::string_view text) {
  return one_of<EndpointExpansion>(
      text, "expansion", {{"ffmpeg", EndpointExpansion::ffmpeg}, {"replicate", EndpointExpansion::replicate}});
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
  return one_of<Deinterlace>(text, "deinterlacing mode",
                             {{"auto", Deinterlace::automatic}, {"on", Deinterlace::on}, {"off", Deinterlace::off}});
}

}  // namespace texcast::cli
