#include "files/texture_files.h"

#include <fmt/core.h>

#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "texcast/error.h"

namespace texcast::cli {
namespace {

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}
}  // namespace

bool holds_tracks(const std::string& path) { return extension_of(path) == ".mov" || extension_of(path) == ".mkv"; }

media::RecorderSettings recorder_settings(const std::string& path, const PackingOptions& packing) {
  const auto require_fit = [&](bool fits, const char* option, const char* extensions) {
    if (!fits) throw Error(ErrorKind::usage, fmt::format("{} is for {}, not for '{}'", option, extensions, path));
  };
  const bool snappy = packing.snappy.value_or(true);
  if (packing.chunks && !snappy)
    throw Error(ErrorKind::usage, "--chunks needs Snappy compression: leave out --snappy off");
  require_fit(!packing.split || holds_tracks(path), "--split", ".mov and .mkv");
  require_fit(!packing.chunks || holds_tracks(path), "--chunks", ".mov and .mkv");
  require_fit(!packing.snappy || holds_tracks(path), "--snappy", ".mov and .mkv");
  require_fit(!packing.zstd || extension_of(path) == ".ktx2", "--zstd", ".ktx2");
  const bool compact = packing.coding == FileCoding::compact;
  if (compact && extension_of(path) != ".mkv")
    throw Error(ErrorKind::usage,
                fmt::format("--coding compact needs .mkv, not '{}'; leave it out to record plain textures", path));
  for (const auto& [given, option] : {std::pair{packing.snappy.has_value(), "--snappy"},
                                      {packing.chunks.has_value(), "--chunks"},
                                      {packing.layout.has_value(), "--layout"}})
    if (compact && given)
      throw Error(ErrorKind::usage, fmt::format("{} is for Hap: not with --coding compact", option));
  const Split split = packing.split.value_or(Split{});
  return {.path = path,
          .coding = packing.coding.value_or(FileCoding::plain),
          .snappy = snappy,
          .chunks = packing.chunks.value_or(0),
          .zstd = packing.zstd.value_or(true),
          .split = {.bytes = split.bytes, .duration = split.duration},
          .most_bytes = packing.max_disk.value_or(0),
          .most_files = packing.max_files ? static_cast<size_t>(*packing.max_files) : media::kUsualFiles};
}

void check_still_options(const EncodeOptions& o) {
  const std::string extension = extension_of(o.output);
  const bool is_dds = extension == ".dds", is_still = is_dds || extension == ".ktx2";
  if (o.mips && !is_still)
    throw Error(ErrorKind::usage, fmt::format("--mips is for .dds and .ktx2, not for '{}'", o.output));
  for (const auto& [given, option] : {std::pair{o.normal_map, "--normal-map"}, {o.separate_alpha, "--separate-alpha"}})
    if (given && !o.mips && !o.resize)
      throw Error(ErrorKind::usage, fmt::format("{} says how pictures are filtered: give --mips or --resize", option));
  if (o.normal_map && channel_count(o.encoding.format) < 2)
    throw Error(ErrorKind::usage,
                fmt::format("--normal-map needs two channels or more, not {}: choose bc5", name(o.encoding.format)));
  if (o.normal_map && o.srgb) throw Error(ErrorKind::usage, "--normal-map: normals are not colours; leave out --srgb");
  if (!o.srgb) return;
  if (!is_still) throw Error(ErrorKind::usage, fmt::format("--srgb is for .dds and .ktx2, not for '{}'", o.output));
  const Coding& blocks = plane_coding(o.encoding.format, 0);
  if (!format_row(o.encoding.format).is_plain || (is_dds ? blocks.dxgi.srgb : blocks.vk.srgb) == 0)
    throw Error(ErrorKind::usage,
                fmt::format("--srgb: {} has no sRGB variant in {}", name(o.encoding.format), extension));
}

bool records_sound(const EncodeOptions& o) { return holds_tracks(o.output) && o.audio != AudioChoice::none; }

std::optional<media::AudioSource> audio_of(const EncodeOptions& o, const media::FrameSource& source) {
  if (!holds_tracks(o.output)) {
    if (o.audio && *o.audio != AudioChoice::none)
      throw Error(ErrorKind::usage, fmt::format("--audio is for .mov and .mkv, not for '{}'", o.output));
    return std::nullopt;
  }
  std::error_code ignored;
  const auto begin = source.begin();
  const auto queue = source.sound();
  if (o.audio == AudioChoice::none) return std::nullopt;
  if (!begin || !(queue || std::filesystem::is_regular_file(o.input.input, ignored))) {
    if (o.audio) throw Error(ErrorKind::usage, fmt::format("--audio: '{}' has no audio", o.input.input));
    return std::nullopt;
  }
  return media::AudioSource{.file = o.input.input,
                            .queue = queue,
                            .begin = *begin,
                            .mode = o.audio == AudioChoice::pcm ? media::AudioMode::pcm : media::AudioMode::copy};
}

stream::LayoutSettings layout_settings(const StreamOptions& options) {
  return {.layout = options.packing.layout, .device = options.device};
}

namespace {

// One word of a shell's command line.
std::string for_shell(const std::string& text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:%+,=@-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// Says what to do with a picture or video that FFmpeg opens and that is no texture file; nothing for other files.
// Opening a FIFO may block for ever, so it is not tried.
std::optional<std::string> advice_for_ordinary(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_fifo(path, ignored)) return std::nullopt;
  try {
    const bool is_image = media::open_source({.input = path})->is_image();
    const char* const extension = is_image ? ".ktx2" : extension_of(path) == ".mov" ? ".mkv" : ".mov";
    return fmt::format(
        "an ordinary {}, not a texture file; make one with `texcast encode {} {}`, or show it with `texcast send {} "
        "rtp://HOST` and `texcast play rtp://:5004` on HOST",
        is_image ? "picture" : "video", for_shell(path),
        for_shell(std::filesystem::path(path).filename().replace_extension(extension)), for_shell(path));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::unique_ptr<media::ClipReader> open_texture_file(const std::string& path, const StillPart& part) {
  if (path == "-")
    throw Error(
        ErrorKind::usage,
        "texture files are not read from standard input, because many have their index at the end; save it to a "
        "file first (cat > clip.mkv) and name that. Ordinary video is read from '-' by `encode` and `send`");
  try {
    return media::open_clip(path, part);
  } catch (const Error& error) {
    const bool may_be_ordinary = error.kind() == ErrorKind::input && !media::is_clip(path);
    const auto advice = may_be_ordinary ? advice_for_ordinary(path) : std::nullopt;
    if (!advice) throw;
    throw Error(ErrorKind::input, fmt::format("'{}' is {}", path, *advice));
  }
}

}  // namespace texcast::cli
