#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/ensure.h"
#include "base/regular_file.h"
#include "base/whole_io.h"
#include "clips.h"
#include "container/still.h"
#include "media/files.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

constexpr double kUsualFps = 60;         // of a sequence whose files have no rate: the recorder's default
constexpr int64_t kLastFirstNumber = 1;  // a sequence starts at 0 or 1

std::string first_name(const std::string& path, int64_t& number) {
  for (number = 0; number <= kLastFirstNumber; ++number) {
    const auto numbered = numbered_name(path, number);
    std::error_code ignored;
    if (numbered && std::filesystem::exists(*numbered, ignored)) return *numbered;
  }
  number = 0;
  return path;
}

class StillClip final : public ClipReader {
 public:
  StillClip(const std::string& path, const StillPart& part)
      : kind_(*still_kind(path)), part_(part), is_sequence_(numbered_name(path, 0).has_value()) {
    const std::string first = first_name(path, first_);
    std::vector<std::byte> file;
    const auto read = read_still_file(kind_, first, file);
    if (!read) throw Error(ErrorKind::input, read.error().message);
    const auto still = container::inspect_still(kind_, file, part_);
    if (!still)
      throw Error(ErrorKind::input,
                  fmt::format("'{}' cannot be read as .{}: {}", first, name(kind_), still.error().message));
    info_ = {.path = path,
             .container = name(kind_),
             .codec_name = still->coding,
             .fourcc = still->fourcc,
             .texture = still->desc,
             .duration = {},
             .frame_count = {},
             .levels = still->levels,
             .layers = still->layers,
             .faces = still->faces};
    count_files(first);
    if (!is_sequence_) {  // in a sequence other files may be intact, and next_stored() reports which is damaged
      const auto whole = container::check_still(kind_, file, part_);
      if (!whole) throw Error(ErrorKind::corrupt, fmt::format("'{}' is damaged: {}", first, whole.error().message));
      return;
    }
    info_.fps = still->fps > 0 ? still->fps : kUsualFps;
    info_.duration = time_of(*info_.frame_count);
  }

  const ClipInfo& info() const override { return info_; }

  Result<std::optional<StoredFrame>> next_stored() override {
    if (next_ >= *info_.frame_count) return std::optional<StoredFrame>();
    const int64_t index = next_++;
    const std::string name = name_of(index);
    const auto file = std::make_shared<std::vector<std::byte>>();
    if (const auto read = read_still_file(kind_, name, *file); !read) return read.error();
    const auto still = container::inspect_still(kind_, *file, part_);
    if (!still) return damaged(index, still.error());
    const TextureDesc &here = still->desc, &first = info_.texture;
    if (here != first)
      return Failure{fmt::format("'{}' is {}x{} {}, but the previous files are {}x{} {}", name, here.width, here.height,
                                 texcast::name(here.format), first.width, first.height, texcast::name(first.format))};
    if (const auto whole = container::check_still(kind_, *file, part_); !whole) return damaged(index, whole.error());
    StoredFrame frame{.pts = time_of(index),
                      .duration = is_sequence_ ? time_of(1) : nanoseconds{},
                      .number = index,
                      .stored_bytes = static_cast<int64_t>(file->size())};
    frame.parts[0] = {*file, file};
    return std::optional(std::move(frame));
  }

  Result<void> unpack(const StoredFrame& stored, MutableBytes blocks) const override {
    ENSURE(blocks.size() == texture_layout(info_.texture).total_bytes);
    const auto read = container::read_still(kind_, stored.parts[0].bytes, blocks, part_);
    if (!read) return damaged(stored.number, read.error());
    return {};
  }

  void each_image(const StoredFrame& stored, const container::TakeImage& take) override {
    container::each_image(kind_, stored.parts[0].bytes, take);
  }

  void seek(nanoseconds pts) override {
    // A nanosecond is added because time_of() rounds.
    const double index = std::floor((static_cast<double>(pts.count()) + 1) * info_.fps * 1e-9);
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
  Failure damaged(int64_t index, const Failure& why) const {
    return {fmt::format("'{}' is damaged: {}", name_of(index), why.message)};
  }
  std::string name_of(int64_t index) const { return numbered_name(info_.path, first_ + index).value_or(info_.path); }
  nanoseconds time_of(int64_t index) const {
    return nanoseconds(info_.fps > 0 ? std::llround(static_cast<double>(index) * 1e9 / info_.fps) : 0);
  }

  container::StillKind kind_;
  StillPart part_;
  bool is_sequence_;
  int64_t first_ = 0;
  int64_t next_ = 0;
  ClipInfo info_;
};

}  // namespace

std::unique_ptr<ClipReader> open_still_clip(const std::string& path, const StillPart& part) {
  return std::make_unique<StillClip>(path, part);
}

bool is_still_clip(const std::string& path) {
  const auto kind = still_kind(path);
  if (!kind) return false;
  int64_t number = 0;
  std::array<std::byte, 16> start{};
  const auto file = open_regular_file(first_name(path, number));
  const auto bytes = file ? read_all_at(file->descriptor.get(), start, 0) : Result<size_t>(file.error());
  return bytes && container::looks_like(*kind, Bytes(start).first(*bytes));
}

}  // namespace texcast::media
