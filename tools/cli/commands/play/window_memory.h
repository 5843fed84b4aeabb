// window_memory.h — where the player's window was, from one run to the next: $XDG_STATE_HOME/texcast/window, else
// ~/.local/state/texcast/window, a line of whole numbers: x y width height.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "player/presenter.h"

namespace texcast::cli {

class WindowMemory {
 public:
  // Neither reads nor writes where it is said what the window is (--size, --fullscreen, --monitor), or there is none.
  explicit WindowMemory(const PlayOptions& options);
  std::optional<player::WindowPlace> place() const;
  void keep(const player::WindowPlace& place) const;  // never throws: a line of the log where it cannot be written

 private:
  std::string path_;  // empty: nowhere
};

// Keeps where the window is at the end of the scope, however that comes.
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

// None: the text is not one that keep() wrote, or names no place on any desktop.
std::optional<player::WindowPlace> parse_window_place(std::string_view text);

}  // namespace texcast::cli
