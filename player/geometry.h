// geometry.h — where a picture goes inside a window or surface. Pure.
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

// The largest rectangle of the picture's aspect inside the target, centred; odd rests go right and below. At least
// one pixel either way. All sizes 1..16384, else misuse.
Rect letterbox(Size picture, Size target);

// The picture's own size, or where that does not fit into `limit`, the largest size of its aspect that does.
Size fit_down(Size picture, Size limit);

}  // namespace texcast::player
