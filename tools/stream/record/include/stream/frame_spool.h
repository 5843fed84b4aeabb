// frame_spool.h — frames that wait on the disk, first in, first out, in a file without a name: it is gone with the
// program, whatever ends that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/descriptor.h"

namespace texcast::stream {

// Not thread-safe. The file takes as much of the disk as the most frames that have waited at a time, and gives back
// what was taken out of it, where the file system can do that.
class FrameSpool {
 public:
  static constexpr int64_t kMostBytes = int64_t{16} << 30;
  static constexpr int64_t kLeftFree = int64_t{256} << 20;  // of the disk: for the recording itself

  // Frames of so many bytes wait in the folder of `file`. Touches the disk with the first of them.
  FrameSpool(std::string file, size_t frame_bytes, int64_t most_bytes = kMostBytes);
  // False where there is no room for it, or the folder takes no such file: nothing has changed then.
  bool push(Bytes frame);
  // The oldest frame, which is in here no longer; valid until the next call. There is one. Throws Error{failed}.
  Bytes pop();
  size_t size() const { return waiting_.size(); }
  bool empty() const { return waiting_.empty(); }

 private:
  bool open();
  bool has_room() const;
  int64_t offset_of(int64_t place) const { return place * place_bytes_; }

  const std::string file_;
  const int64_t place_bytes_;  // whole blocks of a disk, so that they can be given back
  const int64_t most_bytes_;
  Descriptor descriptor_;
  bool is_refused_ = false;      // the folder takes no such file
  std::deque<int64_t> waiting_;  // the places of frames, from the oldest on
  std::vector<int64_t> free_;    // places that had frames
  int64_t places_ = 0;           // of the file
  std::vector<std::byte> oldest_;
};

}  // namespace texcast::stream
