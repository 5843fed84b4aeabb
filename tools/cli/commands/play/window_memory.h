// window_memory.h — stores the position of the player's window between runs, in $XDG_STATE_HOME/texcast/window, else in
// ~/.local/state/texcast/window, as a line of integers: x y width height.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "player/presenter.h"

namespace texcast::cli {

class WindowMemory {
 public:
  // Neither reads nor writes with --size, --fullscreen or --monitor, or without a window.
  explicit WindowMemory(const PlayOptions& options);
  std::optional<player::WindowPlace> place() const;
  void keep(const player::WindowPlace& place) const;  // never throws; logs if the file cannot be written

 private:
  std::string path_;  // empty: neither read nor written
};

// Stores the window's position at the end of the scope, also after an exception.
class RememberedWindow {
 public:
  RememberedWindow(const WindowMemory& memory, const player::Presenter& presenter)
      : memory_(memory), presenter_(presenter) {}
  ~RememberedWindow() {
    if (const auto place = presenter_.place()) memory_.keep(*place);
  }
  RememberedWindow(const RememberedWindow&) = delete;
  RememberedWindow& operator=(const RememberedWindow&) = delete;

 private:
  const WindowMemory& memory_;
  const player::Presenter& presenter_;
};

// None: the text was not written by keep(), or is no position on any desktop.
std::optional<player::WindowPlace> parse_window_place(std::string_view text);

}  // namespace texcast::cli
