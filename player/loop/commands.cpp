#include "commands.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "player/osd_lines.h"

namespace texcast::player {
namespace {

using std::chrono_literals::operator""s;

constexpr double kVolumeStep = 0.05;
constexpr const char* kLive = "not in a live stream";

ScaleMode after(ScaleMode mode) { return static_cast<ScaleMode>((static_cast<int>(mode) + 1) % 3); }

}  // namespace

// Each command is handled by one of these.
std::optional<RunEnd> Commands::obey(const UserInput& input) {
  to_.display.words_changed();
  obey_pointer(input);
  obey_window(input.command);
  obey_time(input.command);
  obey_choice(input.command);
  return obey_run(input);
}

std::vector<std::string> Commands::take_dropped_files() { return std::exchange(dropped_files_, {}); }

std::optional<RunEnd> Commands::obey_run(const UserInput& input) {
  switch (input.command) {
    case Command::quit: return RunEnd::quit;
    case Command::escape:
      if (!to_.presenter.fullscreen()) return RunEnd::quit;
      set_fullscreen(false);
      return std::nullopt;
    case Command::next_item: return change_item(RunEnd::next_item);
    case Command::previous_item: return change_item(RunEnd::previous_item);
    case Command::file_dropped: dropped_files_.push_back(input.file); return std::nullopt;
    case Command::drop_complete: return dropped_files_.empty() ? std::nullopt : std::optional(RunEnd::files_dropped);
    default: return std::nullopt;
  }
}

void Commands::obey_pointer(const UserInput& input) {
  const SteadyTime now = to_.clock.now();
  switch (input.command) {
    case Command::pointer_moved: to_.pointer.moved(input.x, input.y, now); break;
    case Command::pointer_pressed: to_.pointer.pressed(input.x, input.y, now); break;
    case Command::pointer_double_pressed:
      if (!to_.pointer.pressed(input.x, input.y, now)) set_fullscreen(!to_.presenter.fullscreen());
      break;
    case Command::pointer_released: to_.pointer.released(now); break;
    case Command::pointer_left: to_.pointer.left(); break;
    default: break;
  }
}

void Commands::obey_window(Command command) {
  switch (command) {
    case Command::toggle_fullscreen: set_fullscreen(!to_.presenter.fullscreen()); break;
    case Command::next_monitor:
      to_.presenter.next_monitor();
      to_.pointer.window_changed();
      break;
    case Command::redraw: to_.display.window_changed(); break;
    case Command::toggle_recording:
      to_.display.say(to_.settings.toggle_recording ? to_.settings.toggle_recording() : "this cannot be recorded");
      break;
    case Command::screenshot: to_.display.save_screenshot(to_.settings.save_screenshot, to_.clock.now()); break;
    default: break;
  }
}

void Commands::obey_time(Command command) {
  switch (command) {
    case Command::toggle_pause: to_.control.set_paused(!to_.control.paused()); break;
    case Command::seek_back_5s: sought(to_.control.seek_by(-5s)); break;
    case Command::seek_forward_5s: sought(to_.control.seek_by(5s)); break;
    case Command::seek_back_60s: sought(to_.control.seek_by(-60s)); break;
    case Command::seek_forward_60s: sought(to_.control.seek_by(60s)); break;
    case Command::step_back: sought(to_.control.step_by(-1)); break;
    case Command::step_forward: sought(to_.control.step_by(1)); break;
    case Command::seek_first: sought(to_.control.seek_to_first_frame()); break;
    case Command::seek_last: sought(to_.control.seek_to_last_frame()); break;
    case Command::slower: speed_changed(to_.control.change_speed(-1)); break;
    case Command::faster: speed_changed(to_.control.change_speed(1)); break;
    case Command::normal_speed: speed_changed(to_.control.change_speed(0)); break;
    default: break;
  }
}

void Commands::obey_choice(Command command) {
  PlayerChoices& choices = to_.choices;
  switch (command) {
    case Command::toggle_osd: choices.show_osd = !choices.show_osd; break;
    case Command::toggle_keys: choices.show_keys = !choices.show_keys; break;
    case Command::show_position:
      to_.pointer.show_bar(to_.clock.now());
      to_.display.show_position();
      break;
    case Command::next_scale:
      choices.scale = after(choices.scale);
      to_.presenter.set_scale(choices.scale);
      to_.display.window_changed();
      to_.display.say(name(choices.scale));
      break;
    case Command::quieter:
    case Command::louder:
      to_.control.change_volume(command == Command::louder ? kVolumeStep : -kVolumeStep);
      say_sound();
      break;
    case Command::toggle_mute:
      to_.control.toggle_mute();
      say_sound();
      break;
    case Command::toggle_loop:
      to_.control.toggle_loop();
      to_.display.say(choices.loop ? "loop" : "no loop");
      break;
    default: break;
  }
}

std::optional<RunEnd> Commands::change_item(RunEnd direction) {
  const ListPlace place = to_.place;
  const bool forward = direction == RunEnd::next_item;
  const bool at_the_edge = forward ? place.index + 1 == place.count : place.index == 0;
  if (place.count > 1 && (!at_the_edge || to_.choices.loop)) return direction;
  to_.display.say(place.count == 1 ? "no list" : forward ? "the end of the list" : "the start of the list");
  return std::nullopt;
}

void Commands::set_fullscreen(bool fullscreen) {
  to_.presenter.set_fullscreen(fullscreen);
  to_.pointer.hide();
}

// The seek bar shows the new position.
void Commands::sought(bool possible) {
  if (possible)
    to_.pointer.show_bar(to_.clock.now());
  else
    to_.display.say(kLive);
}

void Commands::speed_changed(bool possible) {
  to_.display.say(possible ? fmt::format("speed {:g}×", to_.choices.speed) : kLive);
}

void Commands::say_sound() { to_.display.say("sound " + sound_text(to_.control.playback())); }

}  // namespace texcast::player
