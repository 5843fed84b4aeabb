#include <fmt/core.h>

#include <memory>

#include "base/ensure.h"
#include "base/error.h"
#include "container/still.h"
#include "media/files.h"
#include "recorders.h"

namespace texcast::media {
namespace {

bool believable(double fps) { return fps >= container::kMinStillFps && fps <= container::kMaxStillFps; }

class StillRecorder final : public Recorder {
 public:
  explicit StillRecorder(const RecorderSettings& settings)
      : settings_(settings),
        is_sequence_(numbered_name(settings.path, 0).has_value()),
        writer_(container::make_still_writer(
            *still_kind(settings.path),
            {.zstd = settings.zstd, .fps = is_sequence_ && believable(settings.fps) ? settings.fps : 0})) {}

  void write(const TextureView& texture, nanoseconds /*pts*/) override {
    ENSURE(texture.blocks.size() == texture_layout(settings_.texture).total_bytes);
    if (!is_sequence_ && report_.frames > 0)
      throw Error(ErrorKind::usage, fmt::format("'{}' holds one image and there are more: put %05d in the name for a "
                                                "numbered sequence, or take one frame (--frames 1)",
                                                settings_.path));
    const std::string path = is_sequence_ ? *numbered_name(settings_.path, report_.frames) : settings_.path;
    const auto [start, rest] = writer_->file_of({settings_.texture, texture.blocks});
    write_whole_file(path, {start, rest});
    ++report_.frames;
    report_.bytes += static_cast<int64_t>(start.size() + rest.size());
  }

  RecorderReport finish() override { return report_; }
  RecorderReport so_far() const override { return report_; }

 private:
  RecorderSettings settings_;
  bool is_sequence_;
  std::unique_ptr<container::StillWriter> writer_;
  RecorderReport report_;
};

}  // namespace

std::unique_ptr<Recorder> make_still_recorder(const RecorderSettings& settings) {
  return std::make_unique<StillRecorder>(settings);
}

}  // namespace texcast::media
