#include <fmt/core.h>

#include <memory>

#include "base/ensure.h"
#include "base/error.h"
#include "container/dds.h"
#include "file_names.h"
#include "recorders.h"
#include "whole_file.h"

namespace texcast::media {
namespace {

class DdsRecorder final : public Recorder {
 public:
  explicit DdsRecorder(const RecorderSettings& settings)
      : settings_(settings),
        is_sequence_(numbered_name(settings.path, 0).has_value()),
        header_(container::make_dds_header(settings.texture)) {}

  void write(const TextureView& texture, nanoseconds /*pts*/) override {
    ENSURE(texture.blocks.size() == texture_layout(settings_.texture).total_bytes);
    if (!is_sequence_ && report_.frames > 0)
      throw Error(ErrorKind::usage, fmt::format("'{}' holds one image and there are more: put %05d in the name for a "
                                                "numbered sequence, or take one frame (--frames 1)",
                                                settings_.path));
    const std::string path = is_sequence_ ? *numbered_name(settings_.path, report_.frames) : settings_.path;
    write_whole_file(path, {header_, texture.blocks});
    ++report_.frames;
    report_.bytes += static_cast<int64_t>(header_.size() + texture.blocks.size());
  }

  RecorderReport finish() override { return report_; }

 private:
  RecorderSettings settings_;
  bool is_sequence_;
  std::array<std::byte, container::kDdsHeaderBytes> header_;
  RecorderReport report_;
};

}  // namespace

std::unique_ptr<Recorder> make_dds_recorder(const RecorderSettings& settings) {
  return std::make_unique<DdsRecorder>(settings);
}

}  // namespace texcast::media
