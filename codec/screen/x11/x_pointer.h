// x_pointer.h — the pointer: where it is, what it looks like, and how it gets into a picture and out again.
#pragma once

#include <memory>
#include <vector>

#include "x_display.h"
#include "x_mirror.h"
#include "x_motion.h"

namespace texcast::screen {

// Not thread-safe. The display outlives it.
class XPointer {
 public:
  // Where it is within `window`.
  XPointer(const XDisplay& display, xcb_window_t window);
  // Whether it may look different, or be elsewhere.
  bool changes_with(const xcb_generic_event_t& event);
  bool tells_of_motion() const { return motion_.is_told(); }  // else one has to look

  // Asks the server, in two steps so that one may wait for other answers in between. look(): whether anything of it
  // changed. `x`, `y`: the picture's corner in the window; it is visible where `there` of the picture has it.
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

// Draws a pointer into a picture. Keeps what it drew over.
class CursorPainter {
 public:
  // The rectangle that was drawn over, or was free of the pointer again; {} where that is none.
  Rect paint(XMirror& picture, const Cursor& cursor);
  Rect erase(XMirror& picture);
  void forget() { drawn_ = {}; }  // the picture it was drawn into is no more

 private:
  Rect drawn_{};
  std::vector<uint32_t> beneath_;
};

}  // namespace texcast::screen
