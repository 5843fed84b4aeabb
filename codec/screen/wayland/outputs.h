// outputs.h — the monitors of a Wayland compositor, which tells every program of them (wl_output, xdg-output), and
// which of them it is that a portal shares, as portals do not name it.
#pragma once

#include <optional>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::screen::wayland {

struct Outputs {
  std::vector<Capturable> monitors;  // from the left
  // The portal of wlroots says 0,0 of every monitor, whatever its place.
  bool is_wlroots = false;
};

// As they are now; nothing where no compositor answers within seconds.
std::optional<Outputs> ask_for_outputs();

// Those that may be the one which is shared: the portal says where it is, its pictures how many pixels it has. Empty:
// nothing can be told, as of one that is no monitor.
std::vector<const Capturable*> shared_monitors(const Outputs& outputs, const std::optional<Rect>& place, int width,
                                               int height);

}  // namespace texcast::screen::wayland
