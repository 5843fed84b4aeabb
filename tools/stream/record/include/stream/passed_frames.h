// passed_frames.h — frames that came and do not belong into a recording: which of them begin another file, how many are
// passed over, and why. Pure.
//
// Anybody may send packets to a receiver, and one of them must not make a file. So a recording begins its n-th file, as
// the texture changes, with n whole frames of one description in a row (kMostNeeded at most), which wait until then.
// Two frames of which a quarter is missing at most count as a whole one, for networks on which packets are lost all the
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace texcast::stream {

struct PassedFrames {
  enum class Why {
    not_whole,      // of a description of which no whole frame came, or too few in a row
    cannot_hold,    // the file has no form for them
    too_many_files  // another file would have been needed
  };
  uint64_t not_whole = 0, cannot_hold = 0, too_many_files = 0;
  uint64_t total() const { return not_whole + cannot_hold + too_many_files; }
  void add(Why why);
  PassedFrames& operator+=(const PassedFrames& other);
};
// "12 frames: 10 that the file has no form for, 2 of streams of which too few whole frames came"
std::string words(const PassedFrames& passed);

// How much of a frame came.
enum class Wholeness { whole, nearly, hardly };
// `missing` of so many blocks.
Wholeness wholeness(size_t missing, size_t blocks);

// Frames of one description that wait, from the oldest on. The oldest is not `hardly` there.
struct WaitingRun {
  size_t frames = 0, whole = 0, nearly = 0;
  bool is_cut = false;   // another description follows
  bool is_last = false;  // no more come at all
};

inline constexpr size_t kMostNeeded = 8;  // whole frames
inline constexpr size_t kMostHeld = 16;   // frames that wait for a run to become long enough

enum class NextFile { begin, wait, pass_over };
// Whether they begin a file, where the recording has so many already.
NextFile judge(const WaitingRun& run, size_t files);

}  // namespace texcast::stream
