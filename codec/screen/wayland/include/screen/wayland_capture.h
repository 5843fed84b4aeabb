// wayland_capture.h — the desktop of a Wayland compositor, by the desktop portal (xdg-desktop-portal) and PipeWire.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::screen {

// By WAYLAND_DISPLAY and XDG_SESSION_TYPE. Asks nobody.
bool is_wayland_session();

// Monitors from the left: no program is told of windows. Asks nobody. Throws Error{input}: there is no compositor.
std::vector<Capturable> list_wayland();

// Asks the portal for one monitor (CaptureTarget::window: one window). Which one is chosen in the portal's own
// dialogue, as nobody else may choose on Wayland, and remembered by the portal for the target's name
// (restore_tokens.h), so that it asks once. Another monitor than the one that is named is captured all the same, and
// logged, where it can be told; it is not remembered. A region is one of the desktop, within the monitor that is
// chosen.
//
// Returns when pictures come, which may take as long as a person takes over the dialogue; null where `stop` was
// requested before. Throws Error{input}, with what to do: no such monitor (with those that there are), no session bus,
// no portal, no PipeWire, refused. CursorMode::overlay where the portal cannot tell the pointer apart: it is drawn into
// the picture, and logged.
std::unique_ptr<ScreenCapture> open_wayland_capture(const CaptureSettings& settings, const std::stop_token& stop = {});

}  // namespace texcast::screen
