// geometry.h — the placement of a picture inside a window or surface. Pixels, from the top left corner.
#pragma once

#include "player/presenter.h"

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

// The largest rectangle of the picture's aspect inside the target, centred; if two bars cannot be equal, the right or
// lower one is a pixel wider. At least one pixel wide and high. All sizes are 1..16384, else misuse.
Rect letterbox(Size picture, Size target);

// The rectangle of the picture, which may extend beyond the target:
//     fit    letterbox()
//     fill   the smallest rectangle of the picture's aspect that covers the target, centred
//     exact  the picture's own size, centred
// Neither side becomes longer than 16384, the largest viewport that every OpenGL has: fill leaves bars rather than
// that.
Rect placement(Size picture, Size target, ScaleMode mode);

// The picture's own size, or if that does not fit into `limit`, the largest size of its aspect that does.
Size fit_down(Size picture, Size limit);

// Height of text on a target in pixels: 16 at 720 rows, 24 at 1080, 48 at 2160, which is a constant fraction.
int text_height(Size target);

}  // namespace texcast::player
