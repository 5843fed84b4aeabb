// missing_frames.h — frames that came and are not in the recording: how many, for how long, and why, by what was
// measured.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/loop_thread.h"
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

// Times at which the whole program did not run, seen by a thread that only wakes up again and again.
class Standstills {
 public:
  static constexpr nanoseconds kLeast = std::chrono::milliseconds(700);
  Standstills();

  struct Last {
    SteadyTime end{};
    nanoseconds duration{};
  };
  // The last one of at least kLeast; one that has just ended too, which the thread itself may not have seen yet.
  Last last(SteadyTime now) const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  SteadyTime beat_ = steady_now();
  Last last_;
  LoopThread thread_;  // last: it uses all of the above
};

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
