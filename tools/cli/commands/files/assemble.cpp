#include "files/assemble.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "cli/interrupt.h"
#include "common/source_and_encoder.h"
#include "common/unused_options.h"
#include "container/still.h"
#include "files/encode_pictures.h"
#include "files/filtering.h"
#include "files/outputs.h"
#include "files/texture_files.h"
#include "media/files.h"
#include "media/new_file.h"
#include "stream/resized_source.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

constexpr size_t kFaces = 6;
constexpr std::array<const char*, kFaces> kFaceNames = {"+X", "-X", "+Y", "-Y", "+Z", "-Z"};

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::usage, why); }

// An encoded picture with its levels.
struct Encoded {
  TextureDesc desc;
  std::vector<std::byte> blocks;
  stream::MipLevels levels;
  std::vector<TextureView> views;  // of the picture and all levels
};

// Encodes pictures one after the other; its encoders are kept as long as the pictures have the same format.
class ImageEncoder {
 public:
  explicit ImageEncoder(const EncodeOptions& options) : o_(options) {}

  Encoded encode(const FrameView& picture) {
    if (!encoder_ || picture.format != format_) {
      format_ = picture.format;
      mips_.reset();
      encoder_ = open_encoder(o_.encoding, format_, usual_start(o_.encoding), 1, false, false);
      mips_ = open_mips(o_, format_, 1);
    }
    encoder_->submit(picture, {});
    if (mips_) mips_->submit(picture);
    const TextureView texture = encoder_->next().texture;
    Encoded made{
        .desc = texture.desc, .blocks = {texture.blocks.begin(), texture.blocks.end()}, .levels = {}, .views = {}};
    if (mips_) made.levels = mips_->next();
    return made;
  }
  std::string device_name() const { return encoder_->device_name(); }

 private:
  const EncodeOptions& o_;
  FrameFormat format_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<stream::MipEncoder> mips_;
};

// The places of the faces in a picture that has all of them, in columns and rows of a face.
struct FaceLayout {
  int columns, rows;
  std::array<std::array<int, 2>, kFaces> places;  // column, row
};
constexpr std::array kFaceLayouts = {
    FaceLayout{6, 1, {{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}}},
    FaceLayout{1, 6, {{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}}},
    // A cross: the sides -X +Z +X -Z in a row, +Y above and -Y below +Z.
    FaceLayout{4, 3, {{{2, 1}, {0, 1}, {1, 0}, {1, 2}, {1, 1}, {3, 1}}}},
};

const FaceLayout* find_layout(int width, int height) {
  for (const FaceLayout& layout : kFaceLayouts)
    if (width % layout.columns == 0 && height % layout.rows == 0 && width / layout.columns == height / layout.rows)
      return &layout;
  return nullptr;
}

class Assembly {
 public:
  explicit Assembly(const EncodeOptions& options) : o_(options), encoder_(options) {}

  void add(const std::string& input) {
    InputOptions one = o_.input;
    one.input = input;
    const auto source = resized(o_, open_input(one, as_given(o_).input, o_.encoding.format));
    const auto frame = source->next();
    if (!frame) throw Error(ErrorKind::input, fmt::format("'{}' has no picture", input));
    throw_if_damaged(input, source->damaged_frames(), source->first_damage());
    if (o_.cube && !o_.array && o_.inputs.size() == 1) return add_faces(input, frame->view);
    add_image(input, frame->view);
  }

  std::span<const Encoded> images() const { return images_; }
  std::string device_name() const { return encoder_.device_name(); }

  // The file; colours are those of the first picture.
  std::vector<std::byte> pack(container::StillKind kind, const StillShape& shape) {
    TextureDesc desc = images_.front().desc;
    if (o_.srgb) desc.color.transfer = kSrgbTransfer;
    std::vector<StillImage> parts;
    for (Encoded& image : images_) {
      image.views = {{desc, image.blocks}};
      for (const auto& blocks : image.levels.blocks)
        image.views.push_back({level_of(desc, static_cast<int>(image.views.size())), blocks});
      parts.emplace_back(image.views);
    }
    return pack_still_array(kind, parts, shape, {.zstd = o_.packing.zstd.value_or(true)});
  }

 private:
  void add_image(const std::string& input, const FrameView& picture) {
    if (!images_.empty() &&
        (picture.format.width != images_.front().desc.width || picture.format.height != images_.front().desc.height))
      refuse(
          fmt::format("'{0}' has {1}x{2} and '{3}' has {4}x{5}: all pictures must have one size, for example by "
                      "--resize {4}x{5}",
                      input, picture.format.width, picture.format.height, o_.inputs.front(), images_.front().desc.width,
                      images_.front().desc.height));
    require_shape(*media::still_kind(o_.output),
                  {.format = o_.encoding.format, .width = picture.format.width, .height = picture.format.height},
                  {.is_array = o_.array, .is_cube = o_.cube});
    images_.push_back(encoder_.encode(picture));
  }

  void add_faces(const std::string& input, const FrameView& picture) {
    const int width = picture.format.width, height = picture.format.height;
    const FaceLayout* layout = find_layout(width, height);
    if (layout == nullptr)
      refuse(
          fmt::format("--cube needs six pictures, or one of six square faces in a row (6:1), in a column (1:6) or in "
                      "a cross (4:3); '{}' has {}x{}",
                      input, width, height));
    const int side = width / layout->columns;
    for (const auto& [column, row] : layout->places)
      add_image(input, stream::part_of(picture, column * side, row * side, side, side, o_.encoding.format, face_));
  }

  const EncodeOptions& o_;
  ImageEncoder encoder_;
  std::vector<Encoded> images_;
  std::vector<std::byte> face_;
};

void check_inputs(const EncodeOptions& o) {
  const auto kind = media::still_kind(o.output);
  const char* const option = o.cube ? "--cube" : "--array";
  const EncodeOptions& asked = as_given(o);
  for (const auto& [given, name] : {std::pair{!asked.to.empty(), "--to"},
                                    {!asked.extension.empty(), "--ext"},
                                    {!asked.rules.empty(), "--rules"},
                                    {asked.if_newer, "--if-newer"},
                                    {asked.jobs.has_value(), "--jobs"}})
    if (given) refuse(fmt::format("{} makes one file of all pictures: leave out {}", option, name));
  if (!kind || *kind == container::StillKind::astc || media::numbered_name(o.output, 0))
    refuse(fmt::format("{} makes one .dds or .ktx2, not '{}'", option, o.output));
  for (const auto& [given, name] : {std::pair{o.psnr, "--psnr"},
                                    {o.lossy.crf.has_value(), "--crf"},
                                    {o.keyframe_interval.has_value(), "--keyframe-interval"},
                                    {o.lossy.transform == TransformCoding::on, "--transform"},
                                    {o.input.frames.has_value(), "--frames"},
                                    {o.input.duration.has_value(), "--duration"},
                                    {o.input.loop, "--loop"}})
    if (given) refuse(fmt::format("{} takes one frame of each picture: leave out {}", option, name));
  if (!o.cube) return;
  const bool fits = o.array ? o.inputs.size() % kFaces == 0 : o.inputs.size() == kFaces || o.inputs.size() == 1;
  if (!fits)
    refuse(fmt::format("--cube needs {} pictures, in the order {}; there {} {}", o.array ? "six for each layer" : "six",
                       joined({kFaceNames.begin(), kFaceNames.end()}, " "), o.inputs.size() == 1 ? "is" : "are",
                       o.inputs.size()));
  if (o.inputs.size() == 1 && o.resize)
    refuse("--resize scales pictures of one face each, and this one has all: leave it out");
}

void print_report(const EncodeOptions& o, const Assembly& assembly, const std::string& path, size_t file_bytes) {
  const Encoded& first = assembly.images().front();
  const size_t count = assembly.images().size(), faces = o.cube ? kFaces : 1;
  const int levels = static_cast<int>(first.levels.views.size()) + 1;
  if (o.json) {
    const Json json = Json::object({{"input", o.inputs},
                                    {"output", path},
                                    {"format", name(first.desc.format)},
                                    {"quality", effort(o.encoding)},
                                    {"width", first.desc.width},
                                    {"height", first.desc.height},
                                    {"layers", count / faces},
                                    {"faces", faces},
                                    {"levels", levels},
                                    {"file_bytes", file_bytes},
                                    {"device", assembly.device_name()}});
    fmt::print("{}\n", json.text(2));
    return;
  }
  if (!reports()) return;
  std::string what = o.cube ? "cube map" : "array";
  if (o.array) what = fmt::format("{} of {}", o.cube ? "array of cube maps" : "array", plural(count / faces, "layer"));
  print_row("encoded", fmt::format("{}, {}x{} {} {}", what, first.desc.width, first.desc.height,
                                   name(first.desc.format), effort(o.encoding)));
  if (o.mips) print_row("levels", fmt::format("{}, {} filter", levels, name(*o.mips)));
  print_row("device", assembly.device_name());
  print_row("file", fmt::format("{}, {}", path, file_size(static_cast<int64_t>(file_bytes))));
}

}  // namespace

int encode_assembled(const EncodeOptions& asked) {
  EncodeOptions o = asked;
  if (!o.encoding.format.is_given) o.encoding.format.value = usual_picture_format(o.output);
  check_encoding(o.encoding);
  check_inputs(o);
  check_still_options(o);
  for (const std::string& input : o.inputs) check_not_same_file(input, o.output);
  media::RecorderSettings settings = recorder_settings(o.output, o.packing);
  const auto recoveries = claim_output(settings, o.if_exists, Start::now);
  Assembly assembly(o);
  for (const std::string& input : o.inputs) {
    if (interrupted()) {
      settings.claim->withdraw();
      tell_interruption("before the file was written");
      return 0;
    }
    assembly.add(input);
  }
  const std::vector<std::byte> file =
      assembly.pack(*media::still_kind(o.output), {.is_array = o.array, .is_cube = o.cube});
  const std::string& path = settings.claim->path();
  media::write_new_file(path, {file}, settings.claim->replaces());
  settings.claim->remove_journal();
  print_report(o, assembly, path, file.size());
  return 0;
}

}  // namespace texcast::cli
