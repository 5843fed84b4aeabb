// outputs.h — the monitors of a Wayland compositor, which reports them to every program (wl_output, xdg-output), and
// finds the one that a portal shares, as portals do not name it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "screen/screen_capture.h"
#include "texcast/frame_times.h"

namespace texcast::screen::wayland {

struct Outputs {
  std::vector<Capturable> monitors;  // from the left
  // The portal of wlroots reports the position 0,0 for every monitor.
  bool is_wlroots = false;
};

// The present monitors; nothing if no compositor answers within seconds.
std::optional<Outputs> ask_for_outputs();

// A connection to the compositor that tells when monitors are added, removed, scaled or changed otherwise. Not
// thread-safe.
class OutputWatch {
 public:
  OutputWatch();  // waits for the compositor's answer, seconds at most
  ~OutputWatch();
  OutputWatch(const OutputWatch&) = delete;
  OutputWatch& operator=(const OutputWatch&) = delete;

  // The present monitors; null if the compositor did not answer, or has ended.
  const Outputs* outputs() const;
  bool has_ended() const { return has_ended_; }  // the compositor, which had answered
  int fd() const;                                // for polling; -1 without a compositor
  void process();                                // handles what has come; never blocks
  SteadyTime changed_at() const;  // the latest change since the start; SteadyTime::min() if there was none

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
  bool has_ended_ = false;
};

// The monitors that may be the shared one: the portal reports its place, its pictures their size in pixels. Empty: it
// cannot be determined, for example if it is not a monitor.
std::vector<const Capturable*> shared_monitors(const Outputs& outputs, const std::optional<Rect>& place, int width,
                                               int height);

}  // namespace texcast::screen::wayland
