// output_file.h — the file that a muxer writes to: FFmpeg's buffered I/O over texcast's own descriptor. So the system's
// reason for a failure is known, room for the index can be reserved, and another thread can flush the file to disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "media/ffmpeg.h"
#include "media/pipe_output.h"

namespace texcast::media {

// Not thread-safe, except for descriptor(): fdatasync() of it may be called on any thread while the file is open.
class OutputFile {
 public:
  // Creates the file. An existing one is truncated with `replace`, else NameTaken is thrown. Throws Error{failed}.
  OutputFile(std::string path, bool replace);
  // Writes to the pipe, which nothing seeks in. Its end closes it only if the caller's descriptor is closed too.
  explicit OutputFile(const PipeOutput& pipe);
  ~OutputFile();  // closes; only close() reports failures
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  AVIOContext* io() { return io_; }
  bool created() const { return created_; }  // the name did not exist before
  int descriptor() const { return descriptor_.get(); }
  const std::string& path() const { return path_; }
  int64_t position() const { return avio_tell(io_); }  // written so far, FFmpeg's buffer included

  // Reserves disk space for the next `bytes` after position(). Returns 0, or an errno if there is not enough (ENOSPC,
  // EDQUOT, EFBIG), including the process's limit for files. On file systems that cannot reserve, some MiB more must be
  // free. Always 0 if this is not a regular file.
  int keep_room(int64_t bytes);
  // Passes FFmpeg's buffer to the system. Returns 0 or an errno; once a write has failed, always that of the first
  // failure.
  int flush();
  int error() const { return error_; }  // the same without writing
  // The file's present name, which differs from path() if it or its folder was renamed. Nothing if the file was
  // removed, so that what is written is lost.
  std::optional<std::string> place() const;
  // Flushes, releases unused reserved space, and closes. Returns the length of the file, or what went into the pipe, in
  // bytes; throws Error{failed}, ReaderGone.
  enum class OnClose { sync /* waits until the disk has it */, leave_to_system };
  int64_t close(OnClose how);

 private:
  void open_io(bool seeks);
  static int write_some(void* self, uint8_t* bytes, int count);
  static int64_t seek_to(void* self, int64_t offset, int whence);
  void remember(int error) {
    if (error_ == 0) error_ = error;
  }
  void free_io();

  std::string path_;
  Descriptor descriptor_;
  AVIOContext* io_ = nullptr;
  int error_ = 0;
  int64_t room_end_ = 0;  // space is reserved up to this offset
  bool created_ = false;
  bool is_regular_ = false;
  bool can_reserve_ = false;
};

}  // namespace texcast::media
