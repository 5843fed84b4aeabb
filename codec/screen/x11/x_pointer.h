// x_pointer.h — the mouse pointer: its position, its image, and drawing it into a picture and erasing it.
#pragma once

#include <memory>
#include <vector>

#include "x_display.h"
#include "x_mirror.h"
#include "x_motion.h"

namespace texcast::screen {

// Not thread-safe. The display must outlive it.
class XPointer {
 public:
  // Tracks its position within `window`.
  XPointer(const XDisplay& display, xcb_window_t window);
  // Whether its image or position may have changed.
  bool changes_with(const xcb_generic_event_t& event);
  bool tells_of_motion() const { return motion_.is_told(); }  // else it must be polled

  // Asks the server, in two steps so that other replies can be awaited in between. look(): whether anything changed.
  // `x`, `y`: the picture's corner in the window; the pointer is visible within the part `there` of the picture.
  void ask();
  bool look(int x, int y, const Rect& there);
  const Cursor& cursor() const { return cursor_; }

 private:
  std::shared_ptr<const CursorShape> shape() const;

  const XDisplay& display_;
  const xcb_window_t window_;
  const XMotion motion_;
  bool shape_is_old_ = true;
  xcb_query_pointer_cookie_t asked_{};
  Cursor cursor_;
};

// Draws a pointer into a picture, and keeps what it covered.
class CursorPainter {
 public:
  // Return the rectangle that was drawn over, or restored; {} if there is none.
  Rect paint(XMirror& picture, const Cursor& cursor);
  Rect erase(XMirror& picture);
  void forget() { drawn_ = {}; }  // call it when the picture was replaced

 private:
  Rect drawn_{};
  std::vector<uint32_t> beneath_;
};

}  // namespace texcast::screen
