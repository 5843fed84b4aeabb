// recorder.h — finished blocks into a file, never re-encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/frame_times.h"
#include "base/stage_time.h"
#include "texcast/format.h"

namespace texcast::media {

struct RecorderSettings {
  std::string path;  // .mov or .mkv; .dds or .ktx2 (one image, or a sequence with %05d in the name)
  TextureDesc texture{};
  double fps = 60;     // nominal
  bool snappy = true;  // compress the blocks of .mov and .mkv
  int chunks = 0;      // that each frame of them is compressed in, 1 to 64; 0: as the frame's size suggests
  bool zstd = true;    // compress the blocks of .ktx2
};

struct RecorderReport {
  int64_t frames = 0;
  int64_t bytes = 0;   // of the file or files
  StageTime repack{};  // making Hap Q of YCoCg-BC4, waiting for the device that does it included
  StageTime pack{};    // compressing the blocks
  StageTime write{};
};

// Not thread-safe. Throws Error{failed} when the file cannot be written (with the reason the system gave) and
// Error{usage} when the extension cannot hold the format (naming those that can). The destructor finishes the file
// if finish() was not called.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void write(const TextureView& texture, nanoseconds pts) = 0;  // pts rising
  // Of the frame written next so many blocks never arrived and were filled in: written down where the file has a
  // journal (media/recovery.h).
  virtual void mark_concealed(uint32_t /*blocks*/) {}
  virtual RecorderReport finish() = 0;
};

std::unique_ptr<Recorder> make_recorder(const RecorderSettings& settings);

}  // namespace texcast::media
