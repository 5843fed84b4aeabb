// recorder.h — finished blocks into a file, never re-encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/frame_times.h"
#include "base/stage_time.h"
#include "texcast/format.h"

namespace texcast::media {

// The sound of what is recorded, carried along from the file that it comes from.
enum class AudioMode {
  copy,  // as it is where the container takes it, else as pcm
  pcm,   // decoded: 16 bits a sample, or 24 where there are more
  none,
};
struct AudioSource {
  std::string file;
  nanoseconds begin{};  // of the recording's first frame, on the file's own clock (FrameSource::begin)
  AudioMode mode = AudioMode::copy;
};

// When a recording goes on in another file, none of them longer than this; 0: never for that reason.
struct SplitSettings {
  int64_t bytes = 0;
  nanoseconds duration{};
};

struct RecorderSettings {
  std::string path;  // .mov or .mkv; .dds or .ktx2 (one image, or a sequence with %05d in the name)
  TextureDesc texture{};
  double fps = 60;     // nominal
  bool snappy = true;  // compress the blocks of .mov and .mkv
  int chunks = 0;      // that each frame of them is compressed in, 1 to 64; 0: as the frame's size suggests
  bool zstd = true;    // compress the blocks of .ktx2
  std::optional<AudioSource> audio{};  // .mov and .mkv
  SplitSettings split{};               // .mov and .mkv
  size_t first_part = 1;               // number of the first file, for part_name
};

struct RecorderReport {
  int64_t frames = 0;
  int64_t bytes = 0;                 // of the file or files
  std::vector<std::string> files{};  // .mov and .mkv
  StageTime repack{};                // making Hap Q of YCoCg-BC4, waiting for the device that does it included
  StageTime pack{};                  // compressing the blocks
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

// "show.mov", then "show-2.mov", "show-3.mov": the files of one recording, counted from 1.
std::string part_name(const std::string& path, size_t part);

std::unique_ptr<Recorder> make_recorder(const RecorderSettings& settings);

}  // namespace texcast::media
