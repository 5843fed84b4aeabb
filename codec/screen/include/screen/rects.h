// rects.h — rectangles of a picture and of a desktop: emptiness, intersection, bounding box.
#pragma once

#include <algorithm>

#include "screen/screen_capture.h"

namespace texcast::screen {

inline bool is_empty(const Rect& r) { return r.width <= 0 || r.height <= 0; }
// The intersection; {} if it is empty.
inline Rect common(const Rect& a, const Rect& b) {
  const int left = std::max(a.x, b.x), top = std::max(a.y, b.y);
  const int right = std::min(a.x + a.width, b.x + b.width), bottom = std::min(a.y + a.height, b.y + b.height);
  return right > left && bottom > top ? Rect{left, top, right - left, bottom - top} : Rect{};
}
// The bounding box of both; empty ones do not count.
inline Rect around(const Rect& a, const Rect& b) {
  if (is_empty(a)) return b;
  if (is_empty(b)) return a;
  const int left = std::min(a.x, b.x), top = std::min(a.y, b.y);
  const int right = std::max(a.x + a.width, b.x + b.width), bottom = std::max(a.y + a.height, b.y + b.height);
  return {left, top, right - left, bottom - top};
}

}  // namespace texcast::screen
