// x_subject.h — what is captured of an X display, and where it is: a part of the root window, or a window's own pixmap.
#pragma once

#include <memory>

#include "x_display.h"

namespace texcast::screen {

// Where the picture lies.
struct Place {
  xcb_drawable_t drawable = XCB_NONE;  // none: it is not there for now, and the last picture stays
  int x = 0, y = 0;                    // the picture's corner in it
  int width = 0, height = 0;           // of the picture as it should be
  Rect there{};                        // of the picture: what the drawable has
  bool operator==(const Place&) const = default;
};

class XSubject {
 public:
  virtual ~XSubject() = default;
  virtual xcb_window_t window() const = 0;  // whose damage it is
  // The picture's corner in the window, which is not that in the pixmap of a window with a border.
  virtual int x() const = 0;
  virtual int y() const = 0;
  // Whether the place may be another one since. Throws Error{input} where the subject has gone for good.
  virtual bool moves_with(const xcb_generic_event_t& event) = 0;
  virtual Place look() = 0;
  virtual std::string name() const = 0;
  virtual double refresh_rate() const = 0;
};

// Throws Error{input}, as open_x11_capture() says.
std::unique_ptr<XSubject> make_subject(const XDisplay& display, const CaptureTarget& target);

}  // namespace texcast::screen
