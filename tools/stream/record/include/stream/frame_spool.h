// frame_spool.h — a queue of frames on the disk, in a file without a name, which disappears with the program, however
// the program ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/descriptor.h"

namespace texcast::stream {

// Not thread-safe. The file is as large as the largest number of frames that waited at the same time. Space of frames
// that were taken out is given back if the file system supports that.
class FrameSpool {
 public:
  static constexpr int64_t kMostBytes = int64_t{16} << 30;
  static constexpr int64_t kLeftFree = int64_t{256} << 20;  // on the disk: for the recording itself

  // Frames have `frame_bytes` and wait in the folder of `file`. The disk is not touched before the first push().
  FrameSpool(std::string file, size_t frame_bytes, int64_t most_bytes = kMostBytes);
  // False: there is no room, or no such file can be made in the folder; nothing has changed.
  bool push(Bytes frame);
  // Removes the oldest frame and returns it; valid until the next call. Must not be empty. Throws Error{failed}.
  Bytes pop();
  size_t size() const { return waiting_.size(); }
  bool empty() const { return waiting_.empty(); }

 private:
  bool open();
  bool has_room() const;
  int64_t offset_of(int64_t place) const { return place * place_bytes_; }

  const std::string file_;
  const int64_t place_bytes_;  // a multiple of the disk's block size, so that the space can be given back
  const int64_t most_bytes_;
  Descriptor descriptor_;
  bool is_refused_ = false;      // no such file can be made in the folder
  std::deque<int64_t> waiting_;  // the places of the frames, oldest first
  std::vector<int64_t> free_;    // places whose frames were taken out
  int64_t places_ = 0;           // in the file
  std::vector<std::byte> oldest_;
};

}  // namespace texcast::stream
