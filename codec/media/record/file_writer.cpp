#include "texcast/file_writer.h"

#include <fmt/core.h>

#include <optional>
#include <span>

#include "base/misuse.h"
#include "compact/crf.h"
#include "compact/rd_parameters.h"
#include "compact/transform_choice.h"
#include "container/hap_frame.h"
#include "container/still.h"
#include "formats/require_texture.h"
#include "media/recorder.h"
#include "media/require_path.h"

namespace texcast {
namespace {

static_assert(kMinFileFps == kMinStillFps && kMaxFileFps == kMaxStillFps);  // readers accept what is written

bool has_transform(const FileWriterSettings& s) {
  return s.crf && compact::chooses_transform(s.transform, s.texture.format);
}

void require_transform(const FileWriterSettings& s) {
  if (s.transform == TransformCoding::on && !compact::TileGrid::can_have_transform(s.texture.format))
    throw Error(ErrorKind::usage, fmt::format("'{}': {} has no transform coding; choose ycocg-bc4, ycocg-bc4-422 or "
                                              "ycocg-bc4-444, or leave it to auto",
                                              s.path, name(s.texture.format)));
}

uint64_t block_count(const TextureDesc& desc) {
  const TextureLayout layout = texture_layout(desc);
  uint64_t blocks = 0;
  for (const PlaneLayout& plane : std::span(layout.planes).first(static_cast<size_t>(layout.plane_count)))
    blocks += plane.bytes / static_cast<size_t>(plane.block_bytes);
  return blocks;
}

void require_valid(const FileWriterSettings& s, const char* function) {
  const auto require = [&](bool condition, const char* what) {
    if (!condition) misused(function, what);
  };
  media::require_path(s.path, function);
  require_valid(s.texture, function);
  require(s.fps >= kMinFileFps && s.fps <= kMaxFileFps, "fps must be 0.001 to 4294");
  require(s.coding == FileCoding::plain || s.coding == FileCoding::compact, "there is no such coding");
  require(!s.crf || s.coding == FileCoding::compact, "a crf needs FileCoding::compact");
  require(!s.crf || compact::is_crf(*s.crf), "a crf must be 0 to 51");
  require(s.crf || s.transform != TransformCoding::on, "transform coding needs a crf");
  require(s.chunks >= 0 && s.chunks <= container::kMaxHapChunks, "chunks must be 0 to 64");
  require(s.split.bytes >= 0 && s.split.duration >= nanoseconds{}, "the limits of a split must not be negative");
  require(s.most_bytes >= 0, "most_bytes must not be negative");
  require(s.if_exists >= IfExists::refuse && s.if_exists <= IfExists::number, "there is no such IfExists");
}

}  // namespace

class FileWriter::Impl {
 public:
  explicit Impl(const FileWriterSettings& s)
      : texture(s.texture),
        recorder(media::make_recorder({.path = s.path,
                                       .texture = s.texture,
                                       .fps = s.fps,
                                       .coding = s.coding,
                                       .lossy = s.crf ? std::optional(compact::rd_parameters(*s.crf)) : std::nullopt,
                                       .quality = s.quality,
                                       .transform = has_transform(s),
                                       .snappy = s.snappy,
                                       .chunks = s.chunks,
                                       .zstd = s.zstd,
                                       .audio = {},
                                       .split = s.split,
                                       .most_bytes = s.most_bytes,
                                       .if_exists = s.if_exists,
                                       .claim = {},
                                       .never_replaced = {}})) {}

  const TextureDesc texture;
  const std::unique_ptr<media::Recorder> recorder;
  bool failed = false;
  std::optional<nanoseconds> first_pts{}, last_pts{};
  std::optional<FileReport> report{};  // set when it is finished
};

FileWriter::FileWriter(const FileWriterSettings& settings) {
  require_valid(settings, __func__);
  if (settings.texture.orientation != Orientation::upright)
    throw Error(ErrorKind::usage,
                fmt::format("'{}': recorded textures must be upright, but this one would be rotated when "
                            "it is displayed: rotate the picture before it is encoded",
                            settings.path));
  require_transform(settings);
  impl_ = std::make_unique<Impl>(settings);
}
FileWriter::~FileWriter() = default;
FileWriter::FileWriter(FileWriter&&) noexcept = default;
FileWriter& FileWriter::operator=(FileWriter&&) noexcept = default;

FileWriter::Impl& FileWriter::impl() const {
  if (!impl_) misused("FileWriter", "the object was moved from");
  return *impl_;
}

void FileWriter::write(const TextureView& texture, nanoseconds pts) {
  Impl& own = impl();
  REQUIRE_USE(!own.report, "the file was finished");
  REQUIRE_USE(!own.failed, "writing has failed before, and the file was closed");
  const TextureDesc& desc = texture.desc;
  REQUIRE_USE(desc.format == own.texture.format && desc.width == own.texture.width && desc.height == own.texture.height,
              "the texture's format or size differs from the settings");
  require_room(own.texture, texture.blocks, __func__);
  if (own.last_pts) {
    nanoseconds::rep gap = 0, time = 0;
    REQUIRE_USE(pts > *own.last_pts, "time stamps must increase from frame to frame");
    REQUIRE_USE(!__builtin_sub_overflow(pts.count(), own.last_pts->count(), &gap) && gap < kMaxFrameGap.count() &&
                    !__builtin_sub_overflow(pts.count(), own.first_pts->count(), &time),
                "the time between frames must be less than half an hour");
  }
  own.failed = true;
  own.recorder->write(texture, pts);
  own.failed = false;
  if (!own.first_pts) own.first_pts = pts;
  own.last_pts = pts;
}

void FileWriter::mark_concealed(uint32_t blocks) {
  Impl& own = impl();
  REQUIRE_USE(!own.report, "the file was finished");
  REQUIRE_USE(blocks <= block_count(own.texture), "the frame does not have so many blocks");
  own.recorder->mark_concealed(blocks);
}

FileReport FileWriter::finish() {
  Impl& own = impl();
  if (!own.report) {
    const media::RecorderReport report = own.recorder->finish();
    own.report = {.frames = report.frames, .bytes = report.bytes, .files = report.files};
  }
  return *own.report;
}

}  // namespace texcast
