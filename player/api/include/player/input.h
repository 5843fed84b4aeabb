// input.h — commands of a person through the keyboard, the mouse or the window system.
#pragma once

#include <optional>
#include <string>

namespace texcast::player {

enum class Command {
  quit,
  escape,  // leaves fullscreen, else quits
  toggle_osd,
  toggle_keys,
  show_position,
  toggle_fullscreen,
  next_monitor,  // fullscreen on that
  next_scale,
  toggle_pause,
  screenshot,
  toggle_recording,
  seek_back_5s,
  seek_forward_5s,
  seek_back_60s,
  seek_forward_60s,
  step_back,
  step_forward,
  seek_first,
  seek_last,
  slower,
  faster,
  normal_speed,
  quieter,
  louder,
  toggle_mute,
  toggle_loop,
  next_item,
  previous_item,
  redraw,           // the window was resized or uncovered
  pointer_moved,    // to x, y
  pointer_pressed,  // the left button, at x, y
  pointer_double_pressed,
  pointer_released,
  pointer_left,   // the window
  file_dropped,   // `file` was dropped onto the window
  drop_complete,  // all files of one drop have been reported
};

struct UserInput {
  UserInput(Command what) : command(what) {}  // most are only a command
  UserInput(Command what, int at_x, int at_y) : command(what), x(at_x), y(at_y) {}
  UserInput(Command what, std::string name) : command(what), file(std::move(name)) {}

  Command command;
  int x = 0;  // of the pointer: pixels of the drawable from its left edge; may be outside while a button is held
  int y = 0;  // from its top edge
  std::string file{};
};

}  // namespace texcast::player
