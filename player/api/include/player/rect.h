// rect.h — sizes and rectangles in pixels, from the top left corner.
#pragma once

namespace texcast::player {

struct Size {
  int width = 0;
  int height = 0;
  bool operator==(const Size&) const = default;
};

struct Rect {
  int x = 0;  // left edge
  int y = 0;  // top edge
  int width = 0;
  int height = 0;
  bool operator==(const Rect&) const = default;
};

inline bool contains(const Rect& rect, int x, int y) {
  return x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
}

inline bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

}  // namespace texcast::player
