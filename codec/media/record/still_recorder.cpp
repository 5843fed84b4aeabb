#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/ensure.h"
#include "base/log.h"
#include "base/whole_io.h"
#include "container/still.h"
#include "media/files.h"
#include "media/new_file.h"
#include "recorders.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

bool believable(double fps) { return fps >= kMinStillFps && fps <= kMaxStillFps; }

class StillRecorder final : public Recorder {
 public:
  explicit StillRecorder(const RecorderSettings& settings)
      : settings_(settings),
        is_sequence_(!holds_one_image(settings.path)),
        writer_(container::make_still_writer(
            *still_kind(settings.path),
            {.zstd = settings.zstd, .fps = is_sequence_ && believable(settings.fps) ? settings.fps : 0})) {
    if (!settings_.pipe) {
      name_.emplace(settings_, settings.first_part);
      next_number_ = name_->claim->first_number();
      report_.next_part = name_->claim->part() + 1;
    }
    warn_of_astc();
    const PixelAspect aspect = settings.texture.aspect;
    if (!aspect.is_square())
      log_warning("'{}' cannot store the pixel aspect {}:{}; .mov and .mkv can", settings.path, aspect.num, aspect.den);
  }

  void write(const TextureView& texture, nanoseconds /*pts*/) override {
    ENSURE(texture.blocks.size() == texture_layout(settings_.texture).total_bytes);
    if (!takes_more()) throw Error(ErrorKind::usage, one_image_text(settings_.path));
    const std::span<const Bytes> pieces = [&] {
      const StageTimer timer(report_.pack);
      return writer_->file_of({settings_.texture, texture.blocks}, levels_);
    }();
    levels_.clear();
    int64_t bytes = 0;
    for (const Bytes piece : pieces) bytes += static_cast<int64_t>(piece.size());
    if (settings_.most_bytes > 0 && report_.frames > 0 && report_.bytes + bytes > settings_.most_bytes)
      throw_recording_full(settings_, report_.bytes);
    {
      const StageTimer timer(report_.write);
      write_new(pieces);
    }
    if (report_.files.empty()) report_.files.push_back(name_ ? name_->claim->path() : settings_.path);
    ++report_.frames;
    report_.bytes += bytes;
  }

  void add_levels(std::span<const TextureView> smaller) override {
    if (still_kind(settings_.path) == container::StillKind::astc) return Recorder::add_levels(smaller);
    levels_.clear();
    for (size_t i = 0; i < smaller.size(); ++i)
      levels_.push_back({level_of(settings_.texture, static_cast<int>(i) + 1), smaller[i].blocks});
  }

  bool takes_more() const override { return is_sequence_ || report_.frames == 0; }
  RecorderReport finish() override { return report_; }
  RecorderProgress progress() const override { return progress_of(report_, report_.bytes); }

 private:
  // An .astc holds its size and its blocks, and nothing else.
  void warn_of_astc() const {
    if (still_kind(settings_.path) != container::StillKind::astc) return;
    const TextureDesc& texture = settings_.texture;
    if (texture.color.transfer == kSrgbTransfer)
      log_warning("'{}' cannot store that its values are sRGB; .dds and .ktx2 can", settings_.path);
    else if (texture.color != usual_color(texture.format))
      log_warning("'{}' cannot store its colours; .dds and .ktx2 can", settings_.path);
  }

  // If another program has created a file of the sequence meanwhile, it is left alone.
  void write_new(std::span<const Bytes> pieces) {
    if (settings_.pipe) {
      for (const Bytes piece : pieces)
        if (const int error = write_all(settings_.pipe->descriptor.get(), piece))
          throw_cannot_write(settings_.path, error);
      return;
    }
    const std::string& path = name_->claim->path();
    if (!is_sequence_) return write_new_file(path, pieces, name_->claim->replaces());
    while (true) {
      try {
        return write_new_file(*numbered_name(path, next_number_++), pieces, name_->claim->replaces());
      } catch (const NameTaken&) {
        if (next_number_ == name_->claim->first_number() + 1 && name_->rule == IfExists::refuse) throw;
      }
    }
  }

  RecorderSettings settings_;
  std::optional<NextName> name_;  // none: a pipe
  bool is_sequence_;
  std::unique_ptr<container::StillWriter> writer_;
  int64_t next_number_ = 0;
  std::vector<TextureView> levels_;  // mip levels of the next texture
  RecorderReport report_;
};

}  // namespace

std::unique_ptr<Recorder> make_still_recorder(const RecorderSettings& settings) {
  return std::make_unique<StillRecorder>(settings);
}

}  // namespace texcast::media
