// x_layout.h — the monitors and windows of an X display.
#pragma once

#include <optional>
#include <vector>

#include "x_display.h"

namespace texcast::screen {

// The whole root window, at its present size.
Rect desktop_of(const XDisplay& display);

// From the left; none if the server has no RANDR 1.5.
std::vector<Capturable> monitors_of(const XDisplay& display);

// The windows that a window manager has in its list; without one, those on the root window. Only visible ones with a
// title.
std::vector<Capturable> windows_of(const XDisplay& display);

std::string title_of(const XDisplay& display, xcb_window_t window);

// "0x1c00007"; nothing for other texts.
std::optional<xcb_window_t> window_of_id(const std::string& text);

}  // namespace texcast::screen
