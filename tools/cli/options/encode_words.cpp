#include "cli/encode_words.h"

#include <fmt/core.h>

#include <string_view>

#include "option_list.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

using OptionWords = std::vector<std::string>;

// Appends an option with its value.
template <typename Value>
void add(OptionWords& words, const char* option, const Value& value) {
  words.emplace_back(option);
  words.push_back(fmt::format("{}", value));
}
void add_flag(OptionWords& words, const char* option, bool given) {
  if (given) words.emplace_back(option);
}

// Seconds, which the parser takes for the same nanoseconds.
std::string seconds_text(nanoseconds time) {
  constexpr int64_t kSecond = 1'000'000'000;
  std::string text = fmt::format("{}.{:09}", time.count() / kSecond, time.count() % kSecond);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string size_text(const Size& size) { return fmt::format("{}x{}", size.width, size.height); }

std::string_view text_of(AudioChoice audio) {
  return audio == AudioChoice::copy ? "copy" : audio == AudioChoice::pcm ? "pcm" : "none";
}

void add_encoding(OptionWords& words, const EncodingOptions& o) {
  add(words, "--format", name(o.format.value));
  if (o.quality != EncodingOptions{}.quality) add(words, "--quality", name(o.quality));
  if (o.method) add(words, "--method", name(*o.method));
  add_flag(words, "--black", o.options.allow_black);
  if (o.options.passes) add(words, "--passes", *o.options.passes);
  if (o.options.radius) add(words, "--radius", *o.options.radius);
}

void add_picture(OptionWords& words, const media::PictureSettings& o) {
  if (o.rotate) add(words, "--rotate", *o.rotate);
  if (o.aspect) add(words, "--aspect", fmt::format("{}:{}", o.aspect->num, o.aspect->den));
  if (o.deinterlace != media::Deinterlace::automatic)
    add(words, "--deinterlace", o.deinterlace == media::Deinterlace::on ? "on" : "off");
}

void add_input(OptionWords& words, const InputOptions& o) {
  if (o.start != nanoseconds{}) add(words, "--start", seconds_text(o.start));
  if (o.frames) add(words, "--frames", *o.frames);
  if (o.duration) add(words, "--duration", seconds_text(*o.duration));
  if (o.fps) add(words, "--fps", *o.fps);
  if (o.size) add(words, "--size", size_text(*o.size));
  add_picture(words, o.picture);
  if (!o.filters.empty()) add(words, "--vf", o.filters);
  if (o.cursor) add(words, "--cursor", *o.cursor == screen::CursorMode::off ? "off" : "picture");
}

void add_packing(OptionWords& words, const PackingOptions& o) {
  if (o.coding) add(words, "--coding", *o.coding == FileCoding::compact ? "compact" : "plain");
  if (o.snappy) add(words, "--snappy", *o.snappy ? "on" : "off");
  if (o.chunks) add(words, "--chunks", *o.chunks);
  if (o.zstd) add(words, "--zstd", *o.zstd ? "on" : "off");
  if (o.layout) add(words, "--layout", name(*o.layout));
}

void add_coded_stream(OptionWords& words, const EncodeOptions& o) {
  if (o.lossy.crf) add(words, "--crf", *o.lossy.crf);
  if (o.keyframe_interval) add(words, "--keyframe-interval", seconds_text(*o.keyframe_interval));
  if (o.lossy.transform != TransformCoding::automatic)
    add(words, "--transform", o.lossy.transform == TransformCoding::on ? "on" : "off");
}

}  // namespace

OptionWords encode_words(const EncodeOptions& o) {
  OptionWords words;
  add_encoding(words, o.encoding);
  add_input(words, o.input);
  add_packing(words, o.packing);
  add_coded_stream(words, o);
  if (o.audio) add(words, "--audio", text_of(*o.audio));
  if (o.resize) add(words, "--resize", o.resize->size ? size_text(*o.resize->size) : "pow2");
  if (o.mips) add(words, "--mips", name(*o.mips));
  add_flag(words, "--normal-map", o.normal_map);
  add_flag(words, "--separate-alpha", o.separate_alpha);
  add_flag(words, "--srgb", o.srgb);
  return words;
}

EncodeOptions encode_options_of(const OptionWords& words) {
  EncodeOptions options;
  if (const std::string wrong = take_encode_options(options, words); !wrong.empty())
    throw Error(ErrorKind::usage, wrong);
  return options;
}

}  // namespace texcast::cli
