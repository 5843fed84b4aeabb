// file_writer.h — finished blocks into a file, never encoded again: .mov and .mkv as Hap or texcast's own codes, .mkv
// as compact frames too, .dds, .ktx2 and .astc as one image or a numbered sequence.
//
//     texcast::FileWriter file({.path = "show.mov", .texture = encoded.texture.desc, .fps = 60});
//     file.write(encoded.texture, encoded.pts);  // … for every frame
//     std::cout << file.finish().bytes << " bytes\n";
//
// A program that is killed meanwhile loses next to nothing: beside a .mov or .mkv lies a journal until it is finished,
// from which file_recovery.h makes the file whole.
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

namespace texcast {

// Where a recording goes on in another file, so that no file is longer than this. 0: no limit.
struct SplitSettings {
  int64_t bytes = 0;
  nanoseconds duration{};
};

struct FileWriterSettings {
  std::string path;       // .mov or .mkv; .dds, .ktx2 or .astc: one image, or a sequence with %05d in the name
  TextureDesc texture{};  // of every frame, upright; says the colours and the shape of pixels too
  double fps = 60;        // nominal, kMinFileFps to kMaxFileFps: when a frame is shown is what write() says
  FileCoding coding = FileCoding::plain;  // compact: .mkv, formats of blocks
  // Compact: blocks may be others that come near to the picture (TextureView::picture; else to those given) and take
  // fewer bits; 0, the best, to 51, usually about 23. BC1 and YCoCg-BC4, not scaled YCoCg. None: every block as it is.
  std::optional<double> crf{};
  Quality quality = Quality::fast;  // with a crf: how many choices are tried for each block
  bool snappy = true;               // .mov and .mkv, plain: compress the blocks
  int chunks = 0;    // .mov and .mkv, plain: in how many pieces a frame is compressed, 1 to 64; 0: as its size suggests
  bool zstd = true;  // .ktx2: compress the blocks
  IfExists if_exists = IfExists::refuse;  // with refuse, parts after the first still get the next free name
  SplitSettings split{};                  // .mov and .mkv
  int64_t most_bytes = 0;                 // of all files together, but they have a frame at least; 0: no limit
};
inline constexpr double kMinFileFps = 0.001, kMaxFileFps = 4294;
// From one frame to the next it is less than this: containers cannot say more.
inline constexpr nanoseconds kMaxFrameGap = std::chrono::minutes(30);

struct FileReport {
  int64_t frames = 0;
  int64_t bytes = 0;                 // of the file or files
  std::vector<std::string> files{};  // as they are named: not always as they were to be; a sequence's by its pattern
};

// The files have as many bytes together as they may have (FileWriterSettings::most_bytes): they are closed and whole.
class TEXCAST_API RecordingFull : public Error {
 public:
  explicit RecordingFull(const std::string& message) : Error(ErrorKind::failed, message) {}
};

// Not thread-safe; distinct objects are independent. Takes a few threads for the chunks of a frame. Of an object that
// was moved from, only destruction and assignment are allowed.
//
// Error{misuse}: a call that this header forbids; nothing has happened, and the writer lives on. After any other error
// of write() nothing more can be written; finish() gives what there is.
class TEXCAST_API FileWriter {
 public:
  // Creates the file of a .mov or .mkv; others are made by write(). Throws Error{usage} where the extension is none of
  // these or the container cannot hold the format or frames of that size (the message says which can), or `texture` is
  // turned (no file says so); NameTaken; Error{failed} with the system's reason; Error{misuse} for settings outside of
  // their ranges.
  explicit FileWriter(const FileWriterSettings& settings);
  // Finishes the file if finish() was not called, and logs what goes wrong then (texcast/log.h).
  ~FileWriter();
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) noexcept;  // as the destructor for what it wrote before

  // One frame, of the format and size of the settings; its blocks have been read when this returns. `pts` rises from
  // frame to frame (by less than kMaxFrameGap) and may begin anywhere: the first frame is time 0 of the file. Throws
  // RecordingFull; Error{failed} with the system's reason (where the disk is full the file has been closed and is
  // whole); Error{usage} for a second image in a file that holds one.
  void write(const TextureView& texture, nanoseconds pts);

  // In the frame that is written next, so many of its blocks never arrived and were filled in from the frame before.
  // Noted beside a .mov or .mkv (`texcast info` tells it).
  void mark_concealed(uint32_t blocks);

  // Closes the files. Throws Error{failed}. May be called again, and gives the same.
  FileReport finish();

 private:
  class TEXCAST_LOCAL Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace texcast
