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
#include "files/texture_files.h"
#include "frames/tone_map.h"
#include "media/picture_writer.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"

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
  check_not_same_file(o.input, o.output);
  check_place(o.output);
  media::check_picture_name(o.output, o.if_exists);
  const auto clip = open_texture_file(o.input, o.part);
  const media::ClipInfo& info = clip->info();
  if (o.start > nanoseconds{}) clip->seek(o.start);
  const TextureDesc& texture = info.texture;
  const bool swaps = swaps_sides(texture.orientation);
  const SampleType samples = plane_coding(texture.format, 0).sample_type;
  const bool is_shown = samples == SampleType::half && !media::takes_floats(o.output);  // tone-mapped to 8 bits
  if (o.exposure && !is_shown) throw Error(ErrorKind::usage, "--exposure is for bc6h, decoded to a format of 8 bits");
  const auto writer = media::make_picture_writer({.path = o.output,
                                                  .width = swaps ? texture.height : texture.width,
                                                  .height = swaps ? texture.width : texture.height,
                                                  .fps = info.fps,
                                                  .channels = channel_count(texture.format),
                                                  .samples = is_shown ? SampleType::unorm8 : samples,
                                                  .aspect = swaps ? texture.aspect.turned() : texture.aspect,
                                                  .if_exists = o.if_exists});

  Decoded totals;
  DecodedImage image, shown;
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
    decode_texture(frame.texture, image, o.expansion);
    orient(image, texture.orientation);
    if (is_shown) to_shown_bytes(image, texture.color, o.exposure.value_or(0), shown);
    writer->write(is_shown ? shown : image, frame.pts - *begin);
    progress.update(++totals.frames);
  }
  writer->finish();

  if (o.json) {
    const Json json = Json::object({{"input", o.input},
                                    {"output", writer->path()},
                                    {"frames", totals.frames},
                                    {"damaged", totals.damaged},
                                    {"width", info.texture.width},
                                    {"height", info.texture.height},
                                    {"format", name(info.texture.format)}});
    fmt::print("{}\n", json.text(2));
  } else {
    print_row("decoded", fmt::format("{}, {}x{} {}", plural(static_cast<uint64_t>(totals.frames), "frame"),
                                     info.texture.width, info.texture.height, name(info.texture.format)));
    print_row("output", writer->path());
  }
  if (totals.damaged > 0)
    throw Error(ErrorKind::corrupt,
                fmt::format("{} damaged in '{}' and skipped; the first: {}",
                            plural(static_cast<uint64_t>(totals.damaged), "frame"), o.input, totals.first_damage));
  if (totals.frames == 0) throw Error(ErrorKind::corrupt, fmt::format("'{}' has no frames", o.input));
  return 0;
}

}  // namespace texcast::cli
