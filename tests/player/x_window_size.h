// x_window_size.h — the size of a window according to the X server.
#pragma once

#include "player/geometry.h"

namespace texcast::player {

// SDL's may differ. The window is that of the current OpenGL context; 0x0 if it is not an X window.
Size x_window_size();

}  // namespace texcast::player
