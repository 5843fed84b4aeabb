// x_subject.h — what is captured of an X display, and its place: a part of the root window, or a window's own pixmap.
#pragma once

#include <memory>

#include "x_display.h"

namespace texcast::screen {

// The place of the picture.
struct Place {
  xcb_drawable_t drawable = XCB_NONE;  // none: it does not exist for now, and the last picture stays
  int x = 0, y = 0;                    // the picture's corner in it
  int width = 0, height = 0;           // size that the picture should have
  Rect there{};                        // the part of the picture that the drawable has
  bool operator==(const Place&) const = default;
};

class XSubject {
 public:
  virtual ~XSubject() = default;
  virtual xcb_window_t window() const = 0;  // whose damage is relevant
  // The picture's corner in the window, which differs from that in the pixmap if the window has a border.
  virtual int x() const = 0;
  virtual int y() const = 0;
  // Whether the place may have changed. Throws Error{input} if the subject has gone for good.
  virtual bool moves_with(const xcb_generic_event_t& event) = 0;
  virtual Place look() = 0;
  virtual std::string name() const = 0;
  virtual double refresh_rate() const = 0;
};

// Throws Error{input}, as open_x11_capture() does.
std::unique_ptr<XSubject> make_subject(const XDisplay& display, const CaptureTarget& target);

}  // namespace texcast::screen
