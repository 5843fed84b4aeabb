// wayland_capture.h — captures the desktop of a Wayland compositor, by the desktop portal (xdg-desktop-portal) and
// PipeWire.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::screen {

// Checks WAYLAND_DISPLAY and XDG_SESSION_TYPE. Shows no dialogue.
bool is_wayland_session();

// Lists monitors from the left; Wayland does not let programs list windows. Shows no dialogue. Throws Error{input} if
// there is no compositor.
std::vector<Capturable> list_wayland();

// Requests one monitor from the portal, for CaptureTarget::window one window, and for the whole desktop or a region
// across monitors as many monitors as the user chooses, which make one picture. The user chooses in the portal's own
// dialogue, as Wayland permits nothing else. The portal remembers the choice for the target's name (restore_tokens.h),
// so that it asks once. If another monitor than the named one is chosen, it is captured all the same, logged as far as
// it can be detected, and not remembered. A region is one of the desktop, within what is chosen.
//
// If the desktop ends the capture because a monitor changes or is gone, or because it is locked, wait() returns the
// last picture until the capture could be opened again, which needs no dialogue if the portal has remembered the
// choice.
//
// Returns when pictures arrive, which may take as long as a person takes over the dialogue; null if `stop` was
// requested before. Throws Error{input}, which says what to do: no such monitor (the message lists the available ones),
// no session bus, no portal, no PipeWire, refused. If the portal cannot deliver the pointer separately,
// CursorMode::overlay draws it into the picture, and this is logged.
std::unique_ptr<ScreenCapture> open_wayland_capture(const CaptureSettings& settings, const std::stop_token& stop = {});

}  // namespace texcast::screen
