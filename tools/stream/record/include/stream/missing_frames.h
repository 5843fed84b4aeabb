// missing_frames.h — frames that came and are not in the recording: how many, for how long, and why, by what was
// measured.
#pragma once

#include <cstdint>
#include <string>

#include "base/standstills.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

struct MissingFrames {
  enum class Cause {
    disk,       // writing waited for it
    processor,  // compressing, or making Hap Q, took too long
    standstill  // the whole program did not run: stopped, or suspended, or kept from the processor
  };
  uint64_t disk = 0, processor = 0, standstill = 0;
  nanoseconds time{};         // what they would have been shown for
  nanoseconds stood_still{};  // the longest time, where that was a cause
  uint64_t total() const { return disk + processor + standstill; }
};
// "312 frames are missing (5.2 s): the disk was too slow"
std::string words(const MissingFrames& missing);

// Not thread-safe. Told what the writing thread does, it says why a frame found no room in the queue.
class MissingCause {
 public:
  // The queue is empty, after so much waiting for the disk, and so much work, in all.
  void queue_empty(nanoseconds disk, nanoseconds work);
  // A frame is dropped at `now`. `writing_for`: how long the present write goes on already.
  MissingFrames::Cause cause(SteadyTime now, nanoseconds disk, nanoseconds work, nanoseconds writing_for,
                             const Standstills::Last& standstill) const;

 private:
  nanoseconds disk_{}, work_{};
};

}  // namespace texcast::stream
