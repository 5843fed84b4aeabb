// decode.cpp — `texcast decode`: decodes a texture file into pictures on the CPU.
#include <fmt/core.h>

#include <limits>
#include <string>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "common/source_and_encoder.h"
#include "container/block_check.h"
#include "files/outputs.h"
#include "files/pipe_target.h"
#include "files/texture_files.h"
#include "media/picture_writer.h"
#include "stream/decoded_picture.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

struct Decoded {
  int64_t frames = 0;
  int64_t damaged = 0;
  std::string first_damage;
};

// Checks the first frame only, because the others were encoded the same way.
void warn_of_blocks(const std::string& path, const TextureView& texture) {
  const auto found = container::look_at_blocks(texture);
  if (found.illegal) log_warning("'{}': {}", path, *found.illegal);
  if (found.unshown) log_warning("'{}': {}", path, *found.unshown);
}

}  // namespace

int run_decode(const DecodeOptions& o) {
  const std::string name = output_name(o.output, o.container, {"nut"}, Accepted::and_others);
  if (!is_pipe(o.output)) {
    check_not_same_file(o.input, o.output);
    check_place(o.output);
    media::check_picture_name(o.output, o.if_exists);
  }
  const auto clip = open_texture_file(o.input, o.part);
  const media::ClipInfo& info = clip->info();
  if (o.start > nanoseconds{}) clip->seek(o.start);
  const TextureDesc& texture = info.texture;
  stream::DecodedPicture picture(
      texture,
      {.expansion = o.expansion, .keeps_floats = media::takes_floats(name), .exposure = o.exposure.value_or(0)});
  if (o.exposure && !picture.is_tone_mapped())
    throw Error(ErrorKind::usage, "--exposure is for bc6h, decoded to a format of 8 bits");
  std::optional<EndsAtOnceIfInterrupted> at_once;
  if (is_pipe(o.output)) at_once.emplace();  // a FIFO may wait for its reader; there is nothing to close
  const auto writer = media::make_picture_writer({.path = o.output,
                                                  .width = picture.width(),
                                                  .height = picture.height(),
                                                  .fps = info.fps,
                                                  .channels = picture.channels(),
                                                  .samples = picture.samples(),
                                                  .aspect = picture.aspect(),
                                                  .if_exists = o.if_exists,
                                                  .pipe = is_pipe(o.output) ? open_pipe(o.output, name) : nullptr});

  Decoded totals;
  std::optional<nanoseconds> begin;
  Progress progress("decoding", o.frames ? o.frames : o.duration ? std::nullopt : info.frame_count);
  const int64_t limit = o.frames.value_or(std::numeric_limits<int64_t>::max());
  while (totals.frames < limit && !interrupted()) {
    const auto next = clip->next();
    if (!next) {
      if (totals.damaged++ == 0) totals.first_damage = next.error().message;
      continue;
    }
    if (!*next) break;
    const media::ClipFrame& frame = **next;
    if (begin && o.duration && frame.pts - *begin >= *o.duration) break;
    if (!begin) {
      begin = frame.pts;
      warn_of_blocks(o.input, frame.texture);
    }
    writer->write(picture.of(frame.texture), frame.pts - *begin);
    progress.update(++totals.frames);
  }
  writer->finish();
  tell_interruption(totals.frames, o.frames ? o.frames : info.frame_count, writer->path());

  if (o.json) {
    const Json json = Json::object({{"input", o.input},
                                    {"output", writer->path()},
                                    {"frames", totals.frames},
                                    {"damaged", totals.damaged},
                                    {"width", info.texture.width},
                                    {"height", info.texture.height},
                                    {"format", texcast::name(info.texture.format)}});
    fmt::print("{}\n", json.text(2));
  } else if (reports()) {
    print_row("decoded", fmt::format("{}, {}x{} {}", plural(static_cast<uint64_t>(totals.frames), "frame"),
                                     info.texture.width, info.texture.height, texcast::name(info.texture.format)));
    print_row("output", is_stdout(o.output) ? "stdout" : writer->path());
  }
  if (totals.damaged > 0)
    throw Error(ErrorKind::corrupt,
                fmt::format("{} damaged in '{}' and skipped; the first: {}",
                            plural(static_cast<uint64_t>(totals.damaged), "frame"), o.input, totals.first_damage));
  if (totals.frames == 0 && !interrupted()) throw Error(ErrorKind::corrupt, fmt::format("'{}' has no frames", o.input));
  return 0;
}

}  // namespace texcast::cli
