// screen_capture.h — the interface of desktop captures: the picture, what has changed in it, the pointer, and when that
// was. It is implemented for X11 and Wayland (codec/screen/x11, codec/screen/wayland).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frames/cursor.h"
#include "texcast/frame.h"
#include "texcast/frame_times.h"

namespace texcast::screen {

// In pixels of the picture, from its upper left corner. Rectangles from this interface never extend beyond it.
struct Rect {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Rect&) const = default;
};

enum class CursorMode : uint8_t {
  picture,  // drawn into the picture, and thus part of its damage
  overlay,  // separate: ScreenUpdate::cursor
  off,      // not captured
};

struct ScreenUpdate {
  // The whole current picture: PixelFormat::bgra, opaque. In the capture's memory, valid until its next wait().
  FrameView picture{};
  // The area that differs from the picture of the previous wait(); everything after a change of its size. Empty:
  // nothing changed. Valid as long as `picture`.
  std::span<const Rect> damage{};
  WallTime captured{};   // when the earliest of the damage was reported; now if there is no damage
  bool resized = false;  // picture.format differs from that of the previous wait()
  Cursor cursor{};       // only with CursorMode::overlay
};

// Not thread-safe, except for wake().
class ScreenCapture {
 public:
  virtual ~ScreenCapture() = default;
  virtual FrameFormat format() const = 0;            // of the next picture, as far as it is known
  virtual std::string name() const = 0;              // "screen HDMI-1", "window Terminal": for messages
  virtual double refresh_rate() const { return 0; }  // Hz, of the display; 0: not known
  // Returns when the picture or the pointer has changed since the previous call, at `deadline`, or after wake(). The
  // first call returns the whole picture. Throws Error{input}, which says what to do, once there is nothing to capture
  // any more: the window was closed, or the session ended.
  virtual ScreenUpdate wait(SteadyTime deadline) = 0;
  virtual void wake() = 0;  // may be called on any thread
};

// Something that can be captured, as `texcast screens` lists it.
struct Capturable {
  enum class Kind : uint8_t { monitor, window } kind = Kind::monitor;
  std::string name{};  // "HDMI-1"; for windows their title
  std::string id{};    // for windows: the system's name, "0x1c00007"
  Rect place{};        // on the desktop, in its units
  double refresh_rate = 0;
  bool primary = false;
  int pixel_width = 0, pixel_height = 0;  // size of its picture if it differs from that of `place`; 0: it does not
  std::string description{};              // for monitors, if the desktop has one: "Dell Inc. DELL U2720Q"
};

// The part of a desktop to capture: `screen`, `screen:MONITOR`, `screen:WxH+X+Y`, `window:TITLE`.
struct CaptureTarget {
  enum class Kind : uint8_t { desktop, monitor, region, window } kind = Kind::desktop;
  std::string name{};  // of the monitor; part of the window's title, or its id
  Rect region{};
};

struct CaptureSettings {
  CaptureTarget target{};
  CursorMode cursor = CursorMode::picture;
  // The most updates per second that are useful: changes in between are combined, and a change after a pause is
  // reported at once. 0: each change is reported. A capture may report more.
  double most_fps = 0;
};

}  // namespace texcast::screen
