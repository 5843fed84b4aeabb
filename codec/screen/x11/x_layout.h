// x_layout.h — what an X display has on it: monitors and windows.
#pragma once

#include <optional>
#include <vector>

#include "x_display.h"

namespace texcast::screen {

// All of the root window, as it is now.
Rect desktop_of(const XDisplay& display);

// From the left; none where the server has no RANDR 1.5.
std::vector<Capturable> monitors_of(const XDisplay& display);

// What people call windows: the ones that a window manager has in its list; without one, those on the root window. Only
// such as can be seen and have a title.
std::vector<Capturable> windows_of(const XDisplay& display);

std::string title_of(const XDisplay& display, xcb_window_t window);

// "0x1c00007"; nothing for other texts.
std::optional<xcb_window_t> window_of_id(const std::string& text);

}  // namespace texcast::screen
