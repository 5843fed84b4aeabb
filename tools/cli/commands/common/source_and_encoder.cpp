#include "common/source_and_encoder.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/interrupt.h"
#include "common/unused_options.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {

void check_encoding(const EncodingOptions& options) {
  if (const auto reason = why_not(options.format, options.quality, options.method, options.options))
    throw Error(ErrorKind::usage, *reason);
  reject_unused(options);
}

std::unique_ptr<media::FrameSource> open_input(const InputOptions& options, const InputOptions& given,
                                               TextureFormat format, const InputUse& use) {
  media::SourceSettings settings{.input = options.input,
                                 .alpha = reads_alpha(format),
                                 .half = plane_coding(format, 0).sample_type == SampleType::half,
                                 .loop = options.loop,
                                 .start = options.start,
                                 .fps = options.fps,
                                 .width = std::nullopt,
                                 .height = std::nullopt,
                                 .picture = options.picture,
                                 .filters = options.filters,
                                 .duration = options.duration,
                                 .cursor = options.cursor.value_or(use.usual_cursor),
                                 .stop = &interrupt_flag(),
                                 .sound = use.sound,
                                 .follows_changes = use.follows_changes};
  if (options.size) {
    settings.width = options.size->width;
    settings.height = options.size->height;
  }
  auto source = media::open_source(settings);
  reject_unused(given, *source);
  return source;
}

std::unique_ptr<Encoder> open_encoder(const EncodingOptions& options, const FrameFormat& source, EncoderStart start,
                                      int bands, bool compare, bool keep_pictures) {
  return make_encoder({.source = source,
                       .texture = options.format,
                       .quality = options.quality,
                       .method = options.method,
                       .options = options.options,
                       .device = options.device,
                       .tune = options.tune,
                       .start = start,
                       .bands = bands,
                       .compare = compare,
                       .keep_pictures = keep_pictures});
}

EncoderStart usual_start(const EncodingOptions& options) {
  return options.tune == TuneMode::again ? EncoderStart::when_built : EncoderStart::at_once;
}

std::unique_ptr<Encoder> open_encoder(const EncodingOptions& options, media::FrameSource& source, bool keep_pictures) {
  auto encoder = open_encoder(options, source.format(), usual_start(options), 1, false, keep_pictures);
  source.decode_into(encoder->frame_pool());
  return encoder;
}

double nominal_fps(const InputOptions& options, const media::FrameSource& source) {
  if (options.fps) return *options.fps;
  return source.fps() > 0 ? source.fps() : 25;
}

std::optional<int64_t> expected_frames(const InputOptions& options, const media::FrameSource& source) {
  const auto inside = options.loop && !options.duration ? std::nullopt : source.frame_count();
  if (!options.frames) return inside;
  return inside ? std::min(*inside, *options.frames) : options.frames;
}

void check_not_same_file(const std::string& input, const std::string& output) {
  if (media::is_read_once(input)) return;
  std::error_code ignored;
  // equivalent() fails for patterns of numbered files, so that paths are compared too.
  if (std::filesystem::equivalent(input, output, ignored) ||
      std::filesystem::weakly_canonical(input, ignored) == std::filesystem::weakly_canonical(output, ignored))
    throw Error(ErrorKind::usage, fmt::format("'{}' is the input itself; choose another output", output));
}

void throw_if_damaged(const std::string& input, int64_t frames, const std::string& first) {
  if (frames > 0)
    throw Error(ErrorKind::corrupt, fmt::format("{} of '{}' damaged or missing; the first: {}",
                                                plural(static_cast<uint64_t>(frames), "frame"), input, first));
}

std::string_view effort(const EncodingOptions& options) {
  return options.method ? name(*options.method) : name(options.quality);
}

}  // namespace texcast::cli
