// frame_times.h — clocks, and the points in time that a frame passes, so that a latency is the difference of two.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>

namespace texcast {

using std::chrono::nanoseconds;

// Wall clock (CLOCK_REALTIME), since 1970 UTC: comparable between processes of one machine, and between machines whose
// clocks are synchronised (PTP, NTP). WallTime{} means "not known".
using WallTime = std::chrono::sys_time<nanoseconds>;
inline WallTime wall_now() { return std::chrono::time_point_cast<nanoseconds>(std::chrono::system_clock::now()); }

// A clock that never jumps, for pacing, timeouts and durations inside one process. Its epoch is arbitrary. The types
// keep the two clocks and durations from being mixed up.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, nanoseconds>;
inline SteadyTime steady_now() { return std::chrono::time_point_cast<nanoseconds>(std::chrono::steady_clock::now()); }

// Duration of one frame; 0 if the rate is not known.
inline nanoseconds frame_period(double fps) { return nanoseconds(fps > 0 ? std::llround(1e9 / fps) : 0); }

// Numbers for people and JSON.
inline double in_seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }
inline nanoseconds from_seconds(double seconds) {
  return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(seconds));
}
inline double in_milliseconds(nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

// In chronological order. The first three are in the sender's clock, the rest in the receiver's.
struct FrameTimes {
  nanoseconds pts{};        // presentation time in the stream, from 0
  WallTime available{};     // the frame left the decoder or the capture
  WallTime encoded{};       // its blocks are in host memory; for a frame that is sent in bands, the first of them
  WallTime sent{};          // its first packet was handed to the socket
  WallTime first_packet{};  // the receiver got its first packet
  WallTime assembled{};     // the receiver got the whole frame, or stopped waiting for the rest
  WallTime taken{};         // the player took it for display, when it was due
  WallTime uploaded{};      // its blocks were handed to the GPU
  WallTime presented{};     // the swap that displayed it returned
};

}  // namespace texcast
