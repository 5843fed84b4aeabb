// screen_capture.h — what every way to capture a desktop gives: the picture, what of it has changed, the pointer, and
// when that was. X11 and Wayland each have a room that makes one (codec/screen/x11, codec/screen/wayland).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frames/cursor.h"
#include "texcast/frame.h"
#include "texcast/frame_times.h"

namespace texcast::screen {

// In pixels of the picture, from its upper left corner. Never beyond it where this file hands one out.
struct Rect {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Rect&) const = default;
};

enum class CursorMode : uint8_t {
  picture,  // drawn into the picture, and so part of its damage
  overlay,  // beside it: ScreenUpdate::cursor
  off,      // nowhere
};

struct ScreenUpdate {
  // All of the picture as it is now: PixelFormat::bgra, opaque. The capture's memory, valid until its next wait().
  FrameView picture{};
  // What differs from the picture of the wait() before; after a change of its size all of it. Empty: nothing does.
  // Valid as long as `picture`.
  std::span<const Rect> damage{};
  WallTime captured{};   // when the earliest of the damage was heard of; without damage now
  bool resized = false;  // picture.format is another one than in the wait() before
  Cursor cursor{};       // CursorMode::overlay
};

// Not thread-safe, but for wake().
class ScreenCapture {
 public:
  virtual ~ScreenCapture() = default;
  virtual FrameFormat format() const = 0;            // of the next picture, as far as is known
  virtual std::string name() const = 0;              // "screen HDMI-1", "window Terminal": for messages
  virtual double refresh_rate() const { return 0; }  // Hz, of what shows it; 0: not known
  // Returns when the picture or the pointer has changed since the call before, at `deadline`, or after wake(). The
  // first call returns the whole picture. Throws Error{input}, with what to do, once there is nothing to capture any
  // more: the window is closed, the session ended.
  virtual ScreenUpdate wait(SteadyTime deadline) = 0;
  virtual void wake() = 0;  // from any thread
};

// What can be captured, as `texcast screens` lists it.
struct Capturable {
  enum class Kind : uint8_t { monitor, window } kind = Kind::monitor;
  std::string name{};  // "HDMI-1"; of windows their title
  std::string id{};    // of windows: what the system calls it, "0x1c00007"
  Rect place{};        // on the desktop, in its units
  double refresh_rate = 0;
  bool primary = false;
  int pixel_width = 0, pixel_height = 0;  // of its picture, where that is not of `place`'s size; 0: it is
  std::string description{};              // of monitors, where the desktop has one: "Dell Inc. DELL U2720Q"
};

// Which part of a desktop is wanted: `screen`, `screen:MONITOR`, `screen:WxH+X+Y`, `window:TITLE`.
struct CaptureTarget {
  enum class Kind : uint8_t { desktop, monitor, region, window } kind = Kind::desktop;
  std::string name{};  // of the monitor; part of the window's title, or its id
  Rect region{};
};

struct CaptureSettings {
  CaptureTarget target{};
  CursorMode cursor = CursorMode::picture;
  // Updates a second that anybody wants: what changes in between comes together, and a change after a pause at once.
  // 0: each as it comes. A capture may give more.
  double most_fps = 0;
};

}  // namespace texcast::screen
