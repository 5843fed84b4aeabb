// output_file.h — the file that a muxer writes to: FFmpeg's buffered I/O over a descriptor of our own. So the system's
// reason for a failure is known, room for the index can be reserved, and another thread can flush the file to the disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// Not thread-safe, but for descriptor(): fdatasync() of it is fine from any thread while the file is open.
class OutputFile {
 public:
  // Creates the file; with `replace` one that is there is emptied, else that is NameTaken. Throws Error{failed}.
  OutputFile(std::string path, bool replace);
  ~OutputFile();  // closes; close() tells of failures
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  AVIOContext* io() { return io_; }
  bool created() const { return created_; }  // there was none of that name
  int descriptor() const { return descriptor_.get(); }
  const std::string& path() const { return path_; }
  int64_t position() const { return avio_tell(io_); }  // written so far, FFmpeg's buffer included

  // Reserves place on the disk for the next `bytes` after position(). 0, or an errno where there is not so much
  // (ENOSPC, EDQUOT, EFBIG), also by the process's limit for files. On file systems that cannot reserve there has to be
  // some MiB more. 0 always where this is no regular file.
  int keep_room(int64_t bytes);
  // Hands FFmpeg's buffer to the system. 0 or an errno: once a write has failed, always that of the first failure.
  int flush();
  int error() const { return error_; }  // the same without writing
  // Where the file is now: not path() where it or its folder was renamed. Nothing where it was removed, so that what is
  // written is lost.
  std::optional<std::string> place() const;
  // Flushes, gives back the place that was not used, and closes. Returns the length of the file in bytes; throws
  // Error{failed}.
  enum class OnClose { sync /* waits until the disk has it */, leave_to_system };
  int64_t close(OnClose how);

 private:
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
  int64_t room_end_ = 0;  // place is reserved up to this offset
  bool created_ = false;
  bool is_regular_ = false;
  bool can_reserve_ = false;
};

}  // namespace texcast::media
