// file_writer.h — writes textures to a file without encoding them again: .mov and .mkv as Hap or texcast's own codecs,
// .mkv also as a coded stream, .dds, .ktx2 and .astc as one image or a numbered sequence.
//
//     texcast::FileWriter file({.path = "show.mov", .texture = encoded.texture.desc, .fps = 60});
//     file.write(encoded.texture, encoded.pts);  // … for every frame
//     std::cout << file.finish().bytes << " bytes\n";
//
// If the program is killed, almost nothing is lost: until it is finished, a .mov or .mkv has a journal beside it, from
// which file_recovery.h repairs the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/file_coding.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"
#include "texcast/if_exists.h"
#include "texcast/quality.h"
#include "texcast/transform_coding.h"

namespace texcast {

// Limits beyond which a recording continues in another file. 0: no limit.
struct SplitSettings {
  int64_t bytes = 0;
  nanoseconds duration{};
};

struct FileWriterSettings {
  std::string path;       // .mov or .mkv; .dds, .ktx2 or .astc: one image, or a sequence with %05d in the name
  TextureDesc texture{};  // of every frame, upright; also sets the colours and the pixel aspect
  double fps = 60;        // nominal, kMinFileFps to kMaxFileFps; write() gets the time of each frame
  FileCoding coding = FileCoding::plain;  // compact: .mkv only, block-compressed formats
  // Compact: codes the blocks lossy, as approximations of the picture (TextureView::picture; else of the given blocks)
  // in fewer bits; 0, the best, to 51, usually about 23. For BC1 and YCoCg-BC4, not scaled YCoCg. None: lossless.
  std::optional<double> crf{};
  Quality quality = Quality::fast;  // with a crf: the search effort for each block
  // With a crf: whether tiles may have transform coding. `on` needs a format that can have it, else Error{usage}.
  TransformCoding transform = TransformCoding::automatic;
  bool snappy = true;  // .mov and .mkv, plain: compress the blocks
  // .mov and .mkv, plain: in how many pieces a frame is compressed, 1 to 64; 0: chosen by its size.
  int chunks = 0;
  bool zstd = true;                       // .ktx2: compress the blocks
  IfExists if_exists = IfExists::refuse;  // with refuse, parts after the first still get the next free name
  SplitSettings split{};                  // .mov and .mkv
  int64_t most_bytes = 0;                 // limit of all files together, which have at least one frame; 0: no limit
};
inline constexpr double kMinFileFps = 0.001, kMaxFileFps = 4294;
// The limit of the time between two frames, as containers cannot store more.
inline constexpr nanoseconds kMaxFrameGap = std::chrono::minutes(30);

struct FileReport {
  int64_t frames = 0;
  int64_t bytes = 0;  // of all files
  // Their actual names, which may differ from the requested ones; for a sequence the pattern. Empty without frames.
  std::vector<std::string> files{};
};

// The files have reached FileWriterSettings::most_bytes; they are closed and complete.
class TEXCAST_API RecordingFull : public Error {
 public:
  explicit RecordingFull(const std::string& message) : Error(ErrorKind::failed, message) {}
};

// Not thread-safe; distinct objects are independent. Starts a few threads for the chunks of a frame. A moved-from
// object may only be destroyed or assigned to.
//
// Error{misuse}: a call that this header forbids; it has no effect, and the writer stays usable. After any other error
// of write() nothing more can be written; finish() reports what was written.
class TEXCAST_API FileWriter {
 public:
  // Claims the name of a .mov or .mkv. Files are created by write(), so that a recording without frames leaves none.
  // Throws Error{usage} if the extension is not one of a texture file, if the container cannot hold the format or
  // frames of that size (the message names those that can), or if `texture` is not upright (no file can store that);
  // NameTaken; Error{failed} with the system's reason; Error{misuse} for settings out of range.
  explicit FileWriter(const FileWriterSettings& settings);
  // Finishes the file if finish() was not called, and logs failures (texcast/log.h).
  ~FileWriter();
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) noexcept;  // finishes the previous file as the destructor does

  // Writes one frame of the format and size of the settings. `texture` is only read during the call. `pts` increases
  // from frame to frame (by less than kMaxFrameGap) and may begin anywhere: the first frame is time 0 of the file.
  // Throws RecordingFull; Error{failed} with the system's reason (if the disk is full, the file was closed and is
  // complete); Error{usage} for a second image in a file that holds one.
  void write(const TextureView& texture, nanoseconds pts);

  // In the frame that is written next, so many of its blocks never arrived and were concealed by those of the previous
  // frame. Recorded beside a .mov or .mkv (`texcast info` reports it).
  void mark_concealed(uint32_t blocks);

  // Closes the files. Throws Error{failed}. May be called again, and returns the same.
  FileReport finish();

 private:
  class TEXCAST_LOCAL Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace texcast
