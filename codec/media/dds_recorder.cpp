#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/ensure.h"
#include "base/error.h"
#include "container/dds.h"
#include "file_names.h"
#include "recorders.h"

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
    write_file(path, texture.blocks);
    ++report_.frames;
    report_.bytes += static_cast<int64_t>(header_.size() + texture.blocks.size());
  }

  RecorderReport finish() override { return report_; }

 private:
  void write_file(const std::string& path, Bytes blocks) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) fail(path, errno);
    std::setvbuf(file, nullptr, _IONBF, 0);  // two writes of whole spans: a buffer would only copy them
    const bool written = std::fwrite(header_.data(), 1, header_.size(), file) == header_.size() &&
                         std::fwrite(blocks.data(), 1, blocks.size(), file) == blocks.size();
    const int why_not = errno;
    const bool closed = std::fclose(file) == 0;
    if (!written) fail(path, why_not);
    if (!closed) fail(path, errno);
  }
  [[noreturn]] static void fail(const std::string& path, int error) {
    throw Error(ErrorKind::failed, fmt::format("cannot write '{}': {}", path, std::strerror(error)));
  }

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
