#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/ensure.h"
#include "base/error.h"
#include "clips.h"
#include "container/dds.h"
#include "file_names.h"

namespace texcast::media {
namespace {

constexpr double kSequenceFps = 60;      // DDS has no times; 60 is the recorder's nominal rate
constexpr int64_t kLastFirstNumber = 1;  // a sequence starts at 0 or 1
constexpr size_t kLongestHeader = 148;

struct FileClose {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, FileClose>;

// Reads a whole file as far as its header says that it goes.
Result<TextureView> load(const std::string& path, std::vector<std::byte>& file) {
  const FilePtr handle(std::fopen(path.c_str(), "rb"));
  if (!handle) return Failure{fmt::format("cannot open '{}': {}", path, std::strerror(errno))};
  std::array<std::byte, kLongestHeader> start;
  const size_t have = std::fread(start.data(), 1, start.size(), handle.get());
  const auto desc = container::read_dds_header(Bytes(start).first(have));
  if (!desc) return Failure{fmt::format("'{}' is no DDS file that can be read: {}", path, desc.error().message)};
  file.resize(kLongestHeader + texture_layout(*desc).total_bytes);
  std::copy_n(start.begin(), have, file.begin());
  const size_t more = std::fread(file.data() + have, 1, file.size() - have, handle.get());
  const auto texture = container::read_dds(Bytes(file).first(have + more));
  if (!texture) return Failure{fmt::format("'{}' is damaged: {}", path, texture.error().message)};
  return *texture;
}

std::string first_name(const std::string& path, int64_t& number) {
  for (number = 0; number <= kLastFirstNumber; ++number) {
    const auto numbered = numbered_name(path, number);
    std::error_code ignored;
    if (numbered && std::filesystem::exists(*numbered, ignored)) return *numbered;
  }
  number = 0;
  return path;
}

class DdsClip final : public ClipReader {
 public:
  explicit DdsClip(const std::string& path) : is_sequence_(numbered_name(path, 0).has_value()) {
    const std::string first = first_name(path, first_);
    info_ = {.path = path,
             .container = "dds",
             .codec_name = "BC1",
             .fourcc = "DXT1",
             .texture = {},
             .duration = {},
             .frame_count = {}};
    std::vector<std::byte> file;
    const auto texture = load(first, file);
    if (!texture) throw Error(is_dds_clip(path) ? ErrorKind::corrupt : ErrorKind::input, texture.error().message);
    info_.texture = texture->desc;
    count_files(first);
    if (!is_sequence_) return;
    info_.fps = kSequenceFps;
    info_.duration = time_of(*info_.frame_count);
  }

  const ClipInfo& info() const override { return info_; }

  Result<std::optional<StoredFrame>> next_stored() override {
    if (next_ >= *info_.frame_count) return std::optional<StoredFrame>();
    const int64_t index = next_++;
    const auto file = std::make_shared<std::vector<std::byte>>();
    const auto texture = load(name_of(index), *file);
    if (!texture) return texture.error();
    if (texture->desc != info_.texture)
      return Failure{fmt::format("'{}' is {}x{}, unlike the {}x{} before", name_of(index), texture->desc.width,
                                 texture->desc.height, info_.texture.width, info_.texture.height)};
    StoredFrame frame{.pts = time_of(index),
                      .duration = is_sequence_ ? time_of(1) : nanoseconds{},
                      .number = index,
                      .stored_bytes = static_cast<int64_t>(texture->blocks.size())};
    frame.parts[0] = {texture->blocks, file};
    return std::optional(std::move(frame));
  }

  Result<void> unpack(const StoredFrame& stored, MutableBytes blocks) const override {
    const Bytes bytes = stored.parts[0].bytes;
    ENSURE(blocks.size() == bytes.size());
    std::copy(bytes.begin(), bytes.end(), blocks.begin());
    return {};
  }

  void seek(nanoseconds pts) override {
    // A nanosecond of grace: time_of rounds.
    const double index = std::floor((static_cast<double>(pts.count()) + 1) * kSequenceFps * 1e-9);
    seek_to_frame(static_cast<int64_t>(index));
  }
  void seek_to_frame(int64_t number) override { next_ = std::clamp<int64_t>(number, 0, *info_.frame_count - 1); }

 private:
  void count_files(const std::string& first) {
    std::error_code ignored;
    int64_t count = 0;
    for (std::string name = first; std::filesystem::exists(name, ignored); name = name_of(count)) {
      info_.file_bytes += static_cast<int64_t>(std::filesystem::file_size(name, ignored));
      ++count;
      if (!is_sequence_) break;
    }
    info_.frame_count = count;
  }
  std::string name_of(int64_t index) const { return numbered_name(info_.path, first_ + index).value_or(info_.path); }
  static nanoseconds time_of(int64_t index) {
    return nanoseconds(std::llround(static_cast<double>(index) * 1e9 / kSequenceFps));
  }

  bool is_sequence_;
  int64_t first_ = 0;
  int64_t next_ = 0;
  ClipInfo info_;
};

}  // namespace

std::unique_ptr<ClipReader> open_dds_clip(const std::string& path) { return std::make_unique<DdsClip>(path); }

bool is_dds_clip(const std::string& path) {
  int64_t number = 0;
  const FilePtr handle(std::fopen(first_name(path, number).c_str(), "rb"));
  if (!handle) return false;
  std::array<std::byte, kLongestHeader> start;
  const size_t have = std::fread(start.data(), 1, start.size(), handle.get());
  return container::read_dds_header(Bytes(start).first(have)).has_value();
}

}  // namespace texcast::media
