// x_window.h — the window's size as the X server has it, which SDL may believe to be another.
#pragma once

#include "player/geometry.h"

namespace texcast::player {

// Of the window whose OpenGL context is current. 0x0 where it is not one of X's.
Size x_window_size();

}  // namespace texcast::player
