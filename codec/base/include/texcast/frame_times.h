// frame_times.h — the life of one frame as points in time, so that latency is a subtraction and a print.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>

namespace texcast {

using std::chrono::nanoseconds;

// Wall clock (CLOCK_REALTIME), since 1970 UTC: comparable between processes of one machine, and between machines whose
// clocks are kept together (PTP, NTP). WallTime{} means "not known".
using WallTime = std::chrono::sys_time<nanoseconds>;
inline WallTime wall_now() { return std::chrono::time_point_cast<nanoseconds>(std::chrono::system_clock::now()); }

// A clock that never jumps, for pacing, timeouts and durations inside one process. Where its zero lies means nothing.
// Neither can be taken for the other, nor for a duration.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, nanoseconds>;
inline SteadyTime steady_now() { return std::chrono::time_point_cast<nanoseconds>(std::chrono::steady_clock::now()); }

// From one frame to the next; 0 where the rate is not known.
inline nanoseconds frame_period(double fps) { return nanoseconds(fps > 0 ? std::llround(1e9 / fps) : 0); }

// As figures for people and JSON.
inline double in_seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }
inline nanoseconds from_seconds(double seconds) {
  return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(seconds));
}
inline double in_milliseconds(nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

// In order of happening. The first three are the sender's clock, the rest the receiver's.
struct FrameTimes {
  nanoseconds pts{};        // presentation time in the stream, from 0
  WallTime available{};     // the frame left the decoder or the capture
  WallTime encoded{};       // its blocks lie in host memory; of a frame that is sent in bands: the first of them
  WallTime sent{};          // its first packet was handed to the socket
  WallTime first_packet{};  // the receiver had its first packet
  WallTime assembled{};     // the receiver had the whole frame, or gave up on the rest
  WallTime taken{};         // the player took it for the screen: it was due
  WallTime uploaded{};      // its blocks were handed to the GPU
  WallTime presented{};     // the swap that showed it returned
};

}  // namespace texcast
