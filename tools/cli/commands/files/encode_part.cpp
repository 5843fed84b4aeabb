#include "files/encode_part.h"

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "compact/transform_choice.h"
#include "files/texture_files.h"
#include "media/recorded_part.h"
#include "media/source_span.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

// The distance of cuts in recordings without coding, where every frame is a key frame. A second is a whole number of
// ticks of any file's clock and of samples of any sound; a tenth nearly always.
nanoseconds plain_grid(nanoseconds length, int parts) {
  constexpr nanoseconds kUsual = std::chrono::seconds(1), kShort = std::chrono::milliseconds(100);
  return length >= 4 * parts * kUsual ? kUsual : kShort;
}

nanoseconds length_of(const media::FrameSource& source, const EncodeOptions& o) {
  if (source.is_image() || source.is_live())
    throw Error(ErrorKind::usage, fmt::format("--part is for videos, not for '{}'", o.input.input));
  std::optional<nanoseconds> length = source.length();
  if (const auto most = o.input.duration) length = std::min(length.value_or(*most), *most);
  if (length) return *length;
  throw Error(
      ErrorKind::usage,
      fmt::format("--part: '{}' does not say how long it is; give --duration, the same for all parts", o.input.input));
}

int64_t cells_of(nanoseconds length, nanoseconds cell) { return (length + cell - nanoseconds(1)) / cell; }

// The part in `cells`, which are shared out evenly.
media::SourceSpan span_of(const Part& part, nanoseconds length, nanoseconds cell) {
  const int64_t cells = cells_of(length, cell);
  if (part.count > cells)
    throw Error(
        ErrorKind::usage,
        fmt::format("--part: {:.2f} s with a cut every {:.2f} s at most are {}; give N up to that, or a shorter "
                    "--keyframe-interval",
                    in_seconds(length), in_seconds(cell), plural(static_cast<uint64_t>(cells), "part")));
  const auto cut = [&](int number) { return cells * number / part.count * cell; };
  return {.begin = cut(part.number - 1),
          .end = part.number == part.count ? std::optional<nanoseconds>() : cut(part.number)};
}

nanoseconds grid_of(const media::RecorderSettings& settings, nanoseconds length, int parts) {
  if (settings.coding != FileCoding::compact) return plain_grid(length, parts);
  return settings.keyframe_interval.value_or(media::usual_keyframe_interval(settings.transform));
}

}  // namespace

void check_part(const EncodeOptions& o, bool pipes) {
  if (!o.part) return;
  if (!media::takes_sound(o.output) || pipes)
    throw Error(ErrorKind::usage, fmt::format("--part is for videos in .mov and .mkv, not for '{}'", o.output));
  if (o.packing.split || o.packing.max_disk)
    throw Error(ErrorKind::usage, "--part excludes --split and --max-disk: leave out one of them");
  if (o.input.frames)
    throw Error(ErrorKind::usage, "--part excludes --frames: give --duration, the same for all parts");
  if (o.keyframe_interval && *o.keyframe_interval % std::chrono::milliseconds(1) != nanoseconds{})
    throw Error(ErrorKind::usage, "--part needs a --keyframe-interval of whole milliseconds");
  if (o.keyframe_interval == nanoseconds{})
    throw Error(ErrorKind::usage, "--part cuts at key frames: give --keyframe-interval more than 0");
}

InputOptions input_of_part(const EncodeOptions& o) {
  InputOptions input = o.input;
  if (o.part) input.duration.reset();
  return input;
}

int possible_parts(const media::FrameSource& source, const EncodeOptions& o, const media::RecorderSettings& settings,
                   int wanted) {
  const nanoseconds length = length_of(source, o);
  int parts = wanted;
  while (parts > 1 && cells_of(length, grid_of(settings, length, parts)) < parts) --parts;
  return parts;
}

std::unique_ptr<media::FrameSource> take_part(std::unique_ptr<media::FrameSource> source, const EncodeOptions& o,
                                              media::RecorderSettings& settings) {
  if (!o.part) return source;
  // Such sound can be read only once and from the start, which a part does not do.
  if (records_sound(o) && source->sound())
    throw Error(ErrorKind::usage,
                fmt::format("--part cannot divide the sound of '{}', which is no file: save the input to a file first, "
                            "or give --audio none",
                            o.input.input));
  const nanoseconds length = length_of(*source, o);
  media::SourceSpan span = span_of(*o.part, length, grid_of(settings, length, o.part->count));
  settings.part = {.number = o.part->number, .count = o.part->count, .begin = span.begin, .end = span.end};
  // The last part ends with the input, or at --duration.
  if (!span.end && o.input.duration) span.end = length;
  const bool may_seek = !o.input.fps && o.input.filters.empty();
  return media::only_span(std::move(source), span, may_seek ? media::SpanStart::by_seek : media::SpanStart::by_reading);
}

}  // namespace texcast::cli
