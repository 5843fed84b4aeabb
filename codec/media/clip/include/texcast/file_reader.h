// file_reader.h — reads the blocks of texture files: Hap, the coded stream and texcast's own codecs in .mov and .mkv,
// and .dds, .ktx2, .astc. Textures are not decoded to pixels: the blocks are those that were written, ready for the
// GPU.
//
//     texcast::FileReader file("show.mov");
//     while (const auto frame = file.next())
//       upload(frame->texture.desc, frame->texture.blocks, frame->pts);
//
// Reading and decompressing are separate for programs with threads: one thread reads, others decompress into their own
// memory, such as a mapped upload buffer that is also readable.
//     while (auto stored = file.read_stored())
//       start([&file, stored, blocks = next_buffer()] { file.unpack(*stored, blocks); });
//
// FFmpeg, which reads these containers, logs through one function per process. From the first file on this is
// texcast's, and the lines go to texcast/log.h as LogLevel::debug. A program that wants them itself sets its own
// function again (av_log_set_callback); error messages contain less detail then.
//
// Errors. Error{input}: there is no such file, or it has other contents; the message tells if it is a recording that
// was never closed (file_recovery.h repairs it). Error{corrupt}: the file is damaged; the message names the damage.
// Error{misuse}: a call that this header forbids; it has no effect, and the reader stays usable.
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
  // The version of the codec that a coded stream needs (docs/compact.md, 1.1). 2: frames may be lossy; 4: with
  // transform coding. 0: there is no coded stream.
  int coding_version = 0;
  std::string fourcc;   // "Hap1"; empty if the container has none
  TextureDesc texture;  // of every frame
  double fps = 0;       // nominal frames per second; 0: not known
  std::optional<nanoseconds> duration{};
  std::optional<int64_t> frame_count{};
  int64_t file_bytes = 0;  // of all files of a sequence
  // For .dds and .ktx2: the number of images (container.h, StillPart). Frames are the first image.
  int levels = 1, layers = 1, faces = 1;
};

// A frame as stored in the file, with its bytes. It may outlive the next reads and the reader, and may be passed
// between threads. Copies share the bytes.
struct StoredFrame {
  // The bytes of one track, and what keeps them alive.
  struct Part {
    std::span<const std::byte> bytes{};
    std::shared_ptr<const void> owner{};
  };
  nanoseconds pts{};         // since the first frame
  nanoseconds duration{};    // 0: not known
  int64_t number = 0;        // in the file, from 0; an estimate after a seek in a file without an index of its frames
  int64_t stored_bytes = 0;  // of all parts together
  // One per track that holds a part of the picture; usually there is one. For frames of a coded stream, which depend on
  // the previous one, it holds the decoded blocks.
  std::array<Part, 3> parts{};
  std::string damage{};  // set for a frame of a coded stream that exists but is not correct everywhere; else empty
  uint64_t reader = 0;   // which FileReader read it
};

struct FileFrame {
  TextureView texture;       // in the reader's memory, valid until the next call of next() or the reader's end
  nanoseconds pts{};         // since the first frame
  int64_t number = 0;        // as in StoredFrame
  int64_t stored_bytes = 0;  // size in the file
};

// Not thread-safe except for unpack(). A moved-from object may only be destroyed or assigned to.
class TEXCAST_API FileReader {
 public:
  // A .dds, .ktx2 or .astc may be a sequence of files: a path with one %d or %0Nd in it, whose numbers begin at 0 or 1.
  // Throws Error{input}; Error{corrupt} if the header is inconsistent; Error{misuse} for a path that is empty or
  // contains a zero byte.
  explicit FileReader(const std::string& path);
  ~FileReader();
  FileReader(FileReader&&) noexcept;
  FileReader& operator=(FileReader&&) noexcept;

  const FileInfo& info() const;  // valid as long as the reader

  // read_stored() and unpack() in one, into memory of the reader.
  std::optional<FileFrame> next();

  // Returns the next frame, or nothing at the end. Throws Error{corrupt}, which names the frame, if one is damaged or
  // cannot be read; the next call then goes on after it.
  std::optional<StoredFrame> read_stored();

  // Decompresses the frame's blocks into `blocks`, which has texture_layout(info().texture).total_bytes and must be
  // readable. Throws Error{corrupt} with the name of a damaged frame, and leaves the contents of `blocks` unspecified.
  // If the frame has `damage`, `blocks` gets the correct blocks and elsewhere the closest substitute. Error{misuse}:
  // other sizes, a null pointer, a frame of another reader. Thread-safe on distinct `blocks`, also concurrently with
  // the other calls.
  void unpack(const StoredFrame& stored, std::span<std::byte> blocks) const;

  // The next frame will be the last one at or before `pts`, or the first one if there is none.
  void seek(nanoseconds pts);
  // The next frame will be the one with this number, from 0; the last one if there are not so many; the first one for
  // negative numbers. Exact if the file has an index of its frames (every .mov, sequences), else by the frame rate.
  void seek_to_frame(int64_t number);

 private:
  class TEXCAST_LOCAL Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

// Whether the file looks like one that FileReader reads. False if it cannot be read. Thread-safe.
TEXCAST_API bool is_texture_file(const std::string& path);

}  // namespace texcast
