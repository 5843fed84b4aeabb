// commands.h — what each key, click and drop does, and the message that it shows.
//
// Owns the names of the files that are being dropped. Everything else that a command changes belongs to its Targets:
// the feed's control, the pointer's, the display, the choices, the window.
//
// Thread: the render thread. All that Targets refers to must outlive this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "display.h"
#include "feed_control.h"
#include "player/input.h"
#include "player/player.h"
#include "player/presenter.h"
#include "pointer_control.h"

namespace texcast::player {

class Commands {
 public:
  struct Targets {
    const PlayerSettings& settings;
    PlayerChoices& choices;
    Presenter& presenter;
    FeedControl& control;
    PointerControl& pointer;
    Display& display;
    const Clock& clock;
    ListPlace place{};
  };
  explicit Commands(Targets targets) : to_(targets) {}

  // Executes a command. Returns why the run is over, if the command ends it.
  std::optional<RunEnd> obey(const UserInput& input);

  std::vector<std::string> take_dropped_files();  // for RunEnd::files_dropped

 private:
  std::optional<RunEnd> obey_run(const UserInput& input);
  void obey_pointer(const UserInput& input);
  void obey_window(Command command);
  void obey_time(Command command);
  void obey_choice(Command command);

  std::optional<RunEnd> change_item(RunEnd direction);
  void set_fullscreen(bool fullscreen);
  void sought(bool possible);
  void speed_changed(bool possible);
  void say_sound();

  Targets to_;
  std::vector<std::string> dropped_files_;
};

}  // namespace texcast::player
