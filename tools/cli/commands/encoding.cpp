#include "encoding.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"

namespace texcast::cli {

namespace {

std::string methods_that(bool (*have)(Method)) {
  std::string text;
  for (const Method method : kMethods)
    if (have(method)) text.append(text.empty() ? "" : " or ").append(name(method));
  return text;
}

void check_lspiro(const EncodingOptions& options) {
  const auto check = [&](const char* option, bool given, bool (*has)(Method)) {
    if (given && !(options.method && has(*options.method)))
      throw Error(ErrorKind::usage, fmt::format("{} is for --method {}", option, methods_that(has)));
  };
  check("--passes", options.passes.has_value(), has_passes);
  check("--radius", options.radius.has_value(), has_radius);
}

LspiroSettings lspiro_of(const EncodingOptions& options) {
  LspiroSettings settings;
  return {.passes = options.passes.value_or(settings.passes), .radius = options.radius.value_or(settings.radius)};
}

}  // namespace

void check_encoding(const EncodingOptions& options) {
  check_lspiro(options);
  if (options.method && !has_method(options.format, *options.method))
    throw Error(ErrorKind::usage, fmt::format("{} has no method '{}'; it has {}", name(options.format),
                                              name(*options.method), list_methods(options.format)));
  if (!options.method && !has_quality(options.format, options.quality))
    throw Error(ErrorKind::usage, fmt::format("{} has no quality '{}' yet; it has {}", name(options.format),
                                              name(options.quality), list_qualities(options.format)));
  const Method method = options.method ? *options.method : method_for(options.format, options.quality);
  if (options.allow_black && !can_use_black(options.format, method))
    throw Error(ErrorKind::usage, fmt::format("--black is not for {} by {}; with --format bc1 it is for --quality best "
                                              "(method {})",
                                              name(options.format), effort(options), list_black_methods()));
}

std::unique_ptr<media::FrameSource> open_input(const InputOptions& options, TextureFormat format) {
  media::SourceSettings settings{.input = options.input,
                                 .alpha = reads_alpha(format),
                                 .loop = options.loop,
                                 .start = options.start,
                                 .fps = options.fps,
                                 .width = std::nullopt,
                                 .height = std::nullopt};
  if (options.size) {
    settings.width = options.size->width;
    settings.height = options.size->height;
  }
  return media::open_source(settings);
}

std::unique_ptr<Encoder> open_encoder(const EncodingOptions& options, media::FrameSource& source, int bands) {
  auto encoder = make_encoder({.source = source.format(),
                               .texture = options.format,
                               .quality = options.quality,
                               .method = options.method,
                               .allow_black = options.allow_black,
                               .lspiro = lspiro_of(options),
                               .device = options.device,
                               .tune = options.tune,
                               .bands = bands});
  source.decode_into(encoder->frame_pool());
  return encoder;
}

double nominal_fps(const InputOptions& options, const media::FrameSource& source) {
  if (options.fps) return *options.fps;
  return source.fps() > 0 ? source.fps() : 25;
}

std::optional<int64_t> expected_frames(const InputOptions& options, const media::FrameSource& source) {
  const auto inside = options.loop ? std::nullopt : source.frame_count();
  if (!options.frames) return inside;
  return inside ? std::min(*inside, *options.frames) : options.frames;
}

void check_not_same_file(const std::string& input, const std::string& output) {
  std::error_code ignored;
  if (std::filesystem::equivalent(input, output, ignored))
    throw Error(ErrorKind::usage, fmt::format("{} is the input itself; give another output", output));
}

std::string_view effort(const EncodingOptions& options) {
  return options.method ? name(*options.method) : name(options.quality);
}

}  // namespace texcast::cli
