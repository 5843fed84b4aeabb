#include "input_spec.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "media/ffmpeg.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

constexpr std::array<std::string_view, 6> kLiveProtocols = {"udp", "rtp", "rtsp", "srt", "rist", "rtmp"};

const AVInputFormat& demuxer_named(const std::string& name) {
  avdevice_register_all();  // cameras and screens, which are found by name only
  const AVInputFormat* found = av_find_input_format(name.c_str());
  if (!found)
    throw Error(ErrorKind::input,
                fmt::format("FFmpeg has no demuxer or device '{}': `ffmpeg -demuxers` and `ffmpeg -devices` list "
                            "the available ones",
                            name));
  return *found;
}

void ask_for_rate_and_size(const SourceSettings& settings, InputSpec& spec) {
  if (settings.fps) spec.options["framerate"] = fmt::format("{}", *settings.fps);
  if (settings.width && settings.height)
    spec.options["video_size"] = fmt::format("{}x{}", *settings.width, *settings.height);
}

bool is_device_demuxer(const AVInputFormat& demuxer) {
  for (const AVInputFormat* d = nullptr; (d = av_input_video_device_next(d));)
    if (d == &demuxer) return true;
  return false;
}

// "v4l2" for "v4l2::/dev/video0"; empty for "rtp://[::1]:5004" and everything else.
std::string demuxer_prefix(const std::string& input) {
  const size_t colons = input.find("::");
  if (colons == std::string::npos || colons == 0) return {};
  const std::string prefix = input.substr(0, colons);
  const bool is_name = std::all_of(prefix.begin(), prefix.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  return is_name ? prefix : std::string{};
}

bool is_live_url(const std::string& url) {
  return std::any_of(kLiveProtocols.begin(), kLiveProtocols.end(),
                     [&](std::string_view p) { return url.starts_with(std::string(p) + ":"); });
}

// The open descriptor that a name stands for: 0 for "-", "pipe:" and "/dev/stdin", 3 for "pipe:3" and "/dev/fd/3". A
// pipe that is opened again by such a path could not be waited for.
std::optional<int> named_descriptor(const std::string& input) {
  if (input == "-" || input == "pipe:" || input == "/dev/stdin") return STDIN_FILENO;
  for (const std::string_view prefix : {"pipe:", "/dev/fd/", "/proc/self/fd/"}) {
    if (!input.starts_with(prefix)) continue;
    int number = -1;
    const char* const end = input.data() + input.size();
    const auto [stopped_at, error] = std::from_chars(input.data() + prefix.size(), end, number);
    if (error == std::errc{} && stopped_at == end && number >= 0) return number;
  }
  return std::nullopt;
}

InputSpec parse_url_or_file(const std::string& input) {
  // An existing file is opened as one, even if its name looks like a URL ("12:30.mp4").
  std::error_code ignored;
  const bool is_file = std::filesystem::exists(input, ignored);
  return {.shown = input,
          .url = is_file ? "file:" + input : input,
          .options = {},
          .is_live = !is_file && is_live_url(input),
          .keeps_sound = !is_file};
}

InputSpec parse_named(const SourceSettings& settings) {
  const std::string& input = settings.input;
  if (input.starts_with("lavfi:") && !input.starts_with("lavfi::"))
    return {
        .shown = input, .url = input.substr(6), .demuxer = &demuxer_named("lavfi"), .options = {}, .keeps_sound = true};
  if (const std::string prefix = demuxer_prefix(input); !prefix.empty()) {
    InputSpec spec{
        .shown = input, .url = input.substr(prefix.size() + 2), .demuxer = &demuxer_named(prefix), .options = {}};
    spec.is_device = is_device_demuxer(*spec.demuxer) && prefix != "lavfi";
    spec.is_live = spec.is_device;
    spec.keeps_sound = !spec.is_device;
    if (spec.is_device) ask_for_rate_and_size(settings, spec);
    return spec;
  }
  if (const auto descriptor = named_descriptor(input))
    return {.shown = input, .url = {}, .options = {}, .descriptor = descriptor, .keeps_sound = true};
  std::error_code ignored;
  if (std::filesystem::is_fifo(input, ignored))
    return {.shown = input, .url = {}, .options = {}, .is_fifo = true, .keeps_sound = true};
  return parse_url_or_file(input);
}

}  // namespace

InputSpec parse_input(const SourceSettings& settings) {
  InputSpec spec = parse_named(settings);
  spec.keeps_sound = spec.keeps_sound && settings.sound;
  spec.stop = settings.stop;
  return spec;
}

bool is_read_once(const std::string& input) {
  const auto descriptor = named_descriptor(input);
  struct stat about = {};
  if (descriptor) return fstat(*descriptor, &about) == 0 && !S_ISREG(about.st_mode);
  return stat(input.c_str(), &about) == 0 && S_ISFIFO(about.st_mode);
}

}  // namespace texcast::media
