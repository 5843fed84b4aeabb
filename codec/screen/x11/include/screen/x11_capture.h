// x11_capture.h — the desktop, a monitor, a region or a window of an X display.
//
// What is drawn over is heard of by DAMAGE and fetched from there alone, through shared memory where the server is on
// this machine. Windows are redirected (Composite), so that what lies over them is not seen.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::screen {

class X11Capture : public ScreenCapture {
 public:
  // Brought from the server so far, of pictures: 0 more where nothing changes.
  virtual uint64_t fetched_bytes() const = 0;
};

// Whether DISPLAY names one.
bool has_x_display();

// Throws Error{input} with what to do: no display, one that refuses us or lacks an extension, no such monitor (with
// those that there are), no or several such windows, a region beyond the screen.
//
// While it runs, a size that changes is followed once it has stayed for 150 ms; until then the old size shows what is
// there. Of a monitor that is unplugged, and of a window that is minimised, the last picture stays until it is back. A
// window that is closed and a server that ends are Error{input} of wait().
std::unique_ptr<X11Capture> open_x11_capture(const CaptureSettings& settings);

// Monitors from the left, then windows from the one that was there first. Throws as open_x11_capture does.
std::vector<Capturable> list_x11();

}  // namespace texcast::screen
