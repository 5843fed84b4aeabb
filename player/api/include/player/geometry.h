// geometry.h — the placement of a picture inside a window or surface. Pixels, from the top left corner.
#pragma once

#include "player/presenter.h"
#include "player/rect.h"

namespace texcast::player {

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
