// missing_frames.h — frames that came and are not in the recording for want of time: how many, for how long, and why,
// by what was measured.
#pragma once

#include <cstdint>
#include <string>

#include "base/standstills.h"
#include "media/recorder.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

struct MissingFrames {
  enum class Cause {
    disk,       // writing waited for it
    processor,  // compressing, or making Hap Q, took too long, or no processor was free for it
    compiler,   // what makes Hap Q was still being compiled, and the disk had no room for more frames to wait
    burst,      // more came at once than the queue has room for
    standstill  // the whole program did not run: stopped, or suspended, or kept from the processor
  };
  uint64_t disk = 0, processor = 0, compiler = 0, burst = 0, standstill = 0;
  nanoseconds time{};         // what they would have been shown for
  nanoseconds stood_still{};  // the longest time, where that was a cause
  uint64_t total() const { return disk + processor + compiler + burst + standstill; }
  void add(Cause cause, uint64_t frames);
  MissingFrames& operator+=(const MissingFrames& other);
};
// "312 frames are missing (5.2 s): the disk was too slow"
std::string words(const MissingFrames& missing);

// Whether a frame that finds no room at `now` does so because of that standstill: what has piled up in the socket
// meanwhile comes in one go after it.
bool is_aftermath(const Standstills::Last& standstill, SteadyTime now);

// Whether so many frames that came within `span` are a burst: a stalled network gives what it held back at once, and a
// sender may send faster than it says.
bool is_burst(size_t frames, nanoseconds span, double fps);

// What the writing thread has spent its time on.
struct WritingTime {
  nanoseconds disk{}, work{}, compiler{};
};
// Between two moments of a recorder's. `ready`: of that time the thread had no processor, which a recorder takes for a
// wait for the disk.
WritingTime spent_between(const media::RecorderProgress& before, const media::RecorderProgress& after,
                          nanoseconds ready);

// Not thread-safe. Told what the writing thread has spent its time on since the queue was empty last, it says why
// frames found no room there: it is asked when the write has come back during which they did.
class MissingCause {
 public:
  void queue_empty() { spent_ = {}; }
  void add(const WritingTime& spent);
  MissingFrames::Cause cause() const;

 private:
  WritingTime spent_;
};

}  // namespace texcast::stream
