// missing_frames.h — frames that were received but could not be recorded in time: their number, duration, and measured
// cause.
#pragma once

#include <cstdint>
#include <string>

#include "base/standstills.h"
#include "media/recorder.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

struct MissingFrames {
  enum class Cause {
    disk,       // writing waited for the disk
    processor,  // compression or transcoding to Hap Q took too long, or no processor was free
    compiler,   // the kernel for Hap Q was still being compiled, and the disk had no room for more waiting frames
    burst,      // more frames came at once than the queue holds
    standstill  // the whole program did not run: it was stopped, suspended, or got no processor time
  };
  uint64_t disk = 0, processor = 0, compiler = 0, burst = 0, standstill = 0;
  nanoseconds time{};         // the duration of the missing frames
  bool is_pipe = false;       // a pipe was written: `disk` counts the frames for which its reader was too slow
  nanoseconds stood_still{};  // the longest standstill, if one was a cause
  uint64_t total() const { return disk + processor + compiler + burst + standstill; }
  void add(Cause cause, uint64_t frames);
  MissingFrames& operator+=(const MissingFrames& other);
};
// "312 frames are missing (5.2 s): the disk was too slow"
std::string words(const MissingFrames& missing);

// Whether a frame that finds no room at `now` is a consequence of the standstill: the packets that piled up in the
// socket arrive all at once after it.
bool is_aftermath(const Standstills::Last& standstill, SteadyTime now);

// Whether `frames` that arrived within `span` are a burst: a stalled network delivers everything that it held back at
// once, and a sender may send faster than its nominal rate.
bool is_burst(size_t frames, nanoseconds span, double fps);

// How the writing thread has spent its time.
struct WritingTime {
  nanoseconds disk{}, work{}, compiler{};
};
// The time between two states of a recorder. `ready`: how long the thread was runnable without a processor; the
// recorder cannot tell that from waiting for the disk.
WritingTime spent_between(const media::RecorderProgress& before, const media::RecorderProgress& after,
                          nanoseconds ready);

// Finds the cause of missing frames by how the writing thread has spent its time since the queue was last empty. Ask
// for the cause after the write during which the frames found no room. Not thread-safe.
class MissingCause {
 public:
  void queue_empty() { spent_ = {}; }
  void add(const WritingTime& spent);
  MissingFrames::Cause cause() const;

 private:
  WritingTime spent_;
};

}  // namespace texcast::stream
