// passed_frames.h — received frames that are not recorded, with the reason, and the decision when a recording begins
// another file. No threads, no clock.
//
// Anybody can send packets to a receiver, and a stray frame must not create a file. So when the texture changes, a
// recording begins its n-th file after n complete frames of the same description in a row (at most kMostNeeded), which
// wait until then. Two frames with at most a quarter missing count as one complete frame, for networks with constant
// packet loss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace texcast::stream {

struct PassedFrames {
  enum class Why {
    not_whole,      // no complete frame of their description came, or too few in a row
    cannot_hold,    // the file cannot hold their format
    too_many_files  // they would have needed another file
  };
  uint64_t not_whole = 0, cannot_hold = 0, too_many_files = 0;
  uint64_t total() const { return not_whole + cannot_hold + too_many_files; }
  void add(Why why);
  PassedFrames& operator+=(const PassedFrames& other);
};
// "12 frames: 10 that the file has no form for, 2 of streams of which too few whole frames came"
std::string words(const PassedFrames& passed);

// How much of a frame was received.
enum class Wholeness { whole, nearly, hardly };
// `missing`: of `blocks`.
Wholeness wholeness(size_t missing, size_t blocks);

// The oldest waiting frames, all of one description. The first of them is not Wholeness::hardly.
struct WaitingRun {
  size_t frames = 0, whole = 0, nearly = 0;
  bool is_cut = false;   // a frame of another description follows
  bool is_last = false;  // no more frames will come
};

inline constexpr size_t kMostNeeded = 8;  // complete frames
inline constexpr size_t kMostHeld = 16;   // frames that wait until the run is long enough

enum class NextFile { begin, wait, pass_over };
// Whether the run begins a file in a recording that has `files` already.
NextFile judge(const WaitingRun& run, size_t files);

}  // namespace texcast::stream
