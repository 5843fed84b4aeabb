// outputs.h — the monitors of a Wayland compositor, which reports them to every program (wl_output, xdg-output), and
// finds the one that a portal shares, as portals do not name it.
#pragma once

#include <optional>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::screen::wayland {

struct Outputs {
  std::vector<Capturable> monitors;  // from the left
  // The portal of wlroots reports the position 0,0 for every monitor.
  bool is_wlroots = false;
};

// The present monitors; nothing if no compositor answers within seconds.
std::optional<Outputs> ask_for_outputs();

// The monitors that may be the shared one: the portal reports its place, its pictures their size in pixels. Empty: it
// cannot be determined, for example if it is not a monitor.
std::vector<const Capturable*> shared_monitors(const Outputs& outputs, const std::optional<Rect>& place, int width,
                                               int height);

}  // namespace texcast::screen::wayland
