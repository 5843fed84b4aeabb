// output_file.h — the file under a muxer: FFmpeg's buffered I/O over a descriptor of our own, so that the system's
// reason for a failure is known, room for the index is kept in reserve, and another thread can flush it to the disk.
#pragma once

#include <cstdint>
#include <string>

#include "media/ffmpeg.h"

namespace texcast::media {

// Not thread-safe, but for descriptor(): fdatasync() of it is fine from any thread while the file is open.
class OutputFile {
 public:
  // Creates or empties the file. Throws Error{failed}.
  explicit OutputFile(std::string path);
  ~OutputFile();  // closes; close() tells of failures
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  AVIOContext* io() { return io_; }
  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }
  int64_t position() const { return avio_tell(io_); }  // written so far, FFmpeg's buffer included

  // Makes sure that the next `bytes` behind position() have their place on the disk already. 0, or the errno of the
  // reason (ENOSPC). True for free where the file system cannot promise room or the file is no regular one.
  int keep_room(int64_t bytes);
  // FFmpeg's buffer to the system. 0 or an errno: the first that any write met, for good.
  int flush();
  int error() const { return error_; }
  // Flushes, gives back the room that was not used, waits for the disk if told to, closes. Gives the bytes of the file;
  // throws Error{failed}.
  enum class OnClose { sync, leave_to_system };
  int64_t close(OnClose how);

 private:
  static int write_some(void* self, uint8_t* bytes, int count);
  static int64_t seek_to(void* self, int64_t offset, int whence);
  void remember(int error) {
    if (error_ == 0) error_ = error;
  }
  void free_io();

  std::string path_;
  int descriptor_ = -1;
  AVIOContext* io_ = nullptr;
  int error_ = 0;
  int64_t room_end_ = 0;  // the file has its place on the disk up to here at least
  bool can_reserve_ = false;
};

}  // namespace texcast::media
