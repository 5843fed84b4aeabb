// file_reader.h — files of textures back to blocks: Hap, compact frames and texcast's own codes in .mov and .mkv, .dds,
// .ktx2, .astc. Nothing is decoded: the blocks are those that were written, ready for the GPU.
//
//     texcast::FileReader file("show.mov");
//     while (const auto frame = file.next())
//       upload(frame->texture.desc, frame->texture.blocks, frame->pts);
//
// Reading and unpacking are apart for programs with threads: one thread reads, others unpack into memory of their own,
// such as a mapped upload buffer that can be read too.
//     while (auto stored = file.read_stored())
//       start([&file, stored, blocks = next_buffer()] { file.unpack(*stored, blocks); });
//
// FFmpeg, whose containers these are, logs through one function of the process: from the first file on that is
// texcast's, and the lines go to texcast/log.h as LogLevel::debug. A program that wants them itself sets its own again
// (av_log_set_callback); messages of errors then say less.
//
// Errors. Error{input}: no such file, or one that holds something else; a recording that was never closed says so
// (file_recovery.h makes it whole). Error{corrupt}: damage, which the message names. Error{misuse}: a call that this
// header forbids; nothing has happened, and the reader lives on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/file_coding.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"

namespace texcast {

struct FileInfo {
  std::string path;
  std::string container;   // "mov", "matroska", "dds", "ktx2", "astc"
  std::string codec_name;  // "Hap", "YCoCg-BC4 4:2:0", "compact"
  FileCoding coding = FileCoding::plain;
  std::string fourcc;   // "Hap1"; empty where the container has none
  TextureDesc texture;  // of every frame
  double fps = 0;       // frames a second, nominal; 0: not known
  std::optional<nanoseconds> duration{};
  std::optional<int64_t> frame_count{};
  int64_t file_bytes = 0;  // of all files of a sequence
  // Of .dds and .ktx2: how many images there are (container.h, StillPart). Frames are of the first.
  int levels = 1, layers = 1, faces = 1;
};

// A frame as the file holds it, with its bytes: it may outlive the next reads and the reader, and goes from thread to
// thread. Copies share the bytes.
struct StoredFrame {
  // Bytes of one track and what keeps them alive.
  struct Part {
    std::span<const std::byte> bytes{};
    std::shared_ptr<const void> owner{};
  };
  nanoseconds pts{};         // from the first frame
  nanoseconds duration{};    // 0: not known
  int64_t number = 0;        // in the file from 0; an estimate after a seek in a file without an index of its frames
  int64_t stored_bytes = 0;  // of all parts together
  // One a track that the picture lies in; the usual picture has one. Of compact frames, which need the one before, it
  // is the blocks.
  std::array<Part, 3> parts{};
  std::string damage{};  // of a compact frame that is there but not right everywhere; else empty
  uint64_t reader = 0;   // which FileReader it is from
};

struct FileFrame {
  TextureView texture;       // in the reader's memory, valid until its next call of next() and its end
  nanoseconds pts{};         // from the first frame
  int64_t number = 0;        // as StoredFrame::number
  int64_t stored_bytes = 0;  // as the file holds it
};

// Not thread-safe but for unpack(). Of an object that was moved from, only destruction and assignment are allowed.
class TEXCAST_API FileReader {
 public:
  // A .dds, .ktx2 or .astc may be a sequence of files: a path with one %d or %0Nd in it, whose numbers begin at 0 or 1.
  // Throws Error{input}; Error{corrupt} where the header contradicts itself; Error{misuse} for a path that is empty or
  // has a zero in it.
  explicit FileReader(const std::string& path);
  ~FileReader();
  FileReader(FileReader&&) noexcept;
  FileReader& operator=(FileReader&&) noexcept;

  const FileInfo& info() const;  // as long as the reader

  // read_stored() and unpack() in one, into memory of the reader's own.
  std::optional<FileFrame> next();

  // The next frame; nothing at the end. Throws Error{corrupt} for one that is damaged or cannot be read, naming it; the
  // next call then goes on behind it.
  std::optional<StoredFrame> read_stored();

  // The frame's blocks into `blocks`, which has texture_layout(info().texture).total_bytes and may be read by the
  // unpacker too. Throws Error{corrupt} naming a frame that is damaged; `blocks` then has unspecified contents, but
  // where `damage` of the frame says something: what is right of it, and elsewhere what comes nearest. Error{misuse}:
  // other sizes, a null pointer, a frame that is not this reader's. Thread-safe on distinct `blocks`, also beside the
  // other calls.
  void unpack(const StoredFrame& stored, std::span<std::byte> blocks) const;

  // The next frame is then the last one at or before `pts`; the first one where none is.
  void seek(nanoseconds pts);
  // The next frame is then the one with this number, from 0, the last one where there are not so many, the first for
  // negative ones. Exact where the file has an index of its frames (every .mov, sequences), else by the frame rate.
  void seek_to_frame(int64_t number);

 private:
  class TEXCAST_LOCAL Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

// Whether the file looks like one that FileReader reads. False where it cannot be read. Thread-safe.
TEXCAST_API bool is_texture_file(const std::string& path);

}  // namespace texcast
