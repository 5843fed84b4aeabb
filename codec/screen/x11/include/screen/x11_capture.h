// x11_capture.h — captures the desktop, a monitor, a region or a window of an X display.
//
// DAMAGE reports what is drawn, and only that is fetched, through shared memory if the server is on this machine.
// Windows are redirected (Composite), so that windows above them are not captured.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::screen {

class X11Capture : public ScreenCapture {
 public:
  // Bytes of pictures that were fetched from the server so far; does not grow while nothing changes.
  virtual uint64_t fetched_bytes() const = 0;
};

// Whether DISPLAY names one.
bool has_x_display();

// Throws Error{input}, which says what to do: no display, a display that refuses us or lacks an extension, no such
// monitor (the message lists the available ones), no or several such windows, a region beyond the screen.
//
// A size that changes during the capture is adopted once it has been stable for 150 ms; until then the old size shows
// what is there. If a monitor is unplugged or a window is minimised, the last picture stays until it is back. If a
// window is closed or the server ends, wait() throws Error{input}.
std::unique_ptr<X11Capture> open_x11_capture(const CaptureSettings& settings);

// Monitors from the left, then windows from the oldest. Throws as open_x11_capture() does.
std::vector<Capturable> list_x11();

}  // namespace texcast::screen
