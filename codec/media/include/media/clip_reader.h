// clip_reader.h — compressed-texture files back to blocks: Hap and our own codes in .mov and .mkv, .dds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/frame_times.h"
#include "base/result.h"
#include "texcast/format.h"

namespace texcast::media {

struct ClipInfo {
  std::string path;
  std::string container;   // "mov", "matroska", "dds"
  std::string codec_name;  // "Hap", "YCoCg-BC4 4:2:0"
  std::string fourcc;      // "Hap1"
  TextureDesc texture;
  double fps = 0;
  std::optional<nanoseconds> duration{};
  std::optional<int64_t> frame_count{};
  int64_t file_bytes = 0;
};

struct ClipFrame {
  TextureView texture;  // valid until the next call of next() or seek()
  nanoseconds pts{};
  int64_t stored_bytes = 0;  // of the packet in the file
};

// Not thread-safe. Opening throws Error{input} (cannot be opened or not such a file) or Error{corrupt}.
class ClipReader {
 public:
  virtual ~ClipReader() = default;
  virtual const ClipInfo& info() const = 0;
  // The next frame; nothing at the end; a Failure for a damaged frame, naming it, after which reading goes on.
  virtual Result<std::optional<ClipFrame>> next() = 0;
  virtual void seek(nanoseconds pts) = 0;  // the next frame is the last one at or before pts
};

std::unique_ptr<ClipReader> open_clip(const std::string& path);
// True when the file looks like one that open_clip reads (so `play` and `decode` can tell it from ordinary video).
bool is_clip(const std::string& path);

}  // namespace texcast::media
