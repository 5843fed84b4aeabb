#include "input_map.h"

#include <SDL_stdinc.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "player/window.h"

namespace texcast::player {
namespace {

using enum Command;
using enum Held;

// The keys of mpv if it has the same command.
//
// `?` is Shift+/ on many keyboards and a key of its own on some; on others there is `h`. Reading typed text instead of
// keys would find `?` on all of them, but an input method would then take the other keys away.
template <KeyChord... chords>
constexpr KeyChord kChords[] = {chords...};

template <Command command, bool repeats, KeyChord... chords>
constexpr KeyBinding kBinding = {command, kChords<chords...>, repeats};

constexpr KeyBinding kPause[] = {
    kBinding<toggle_pause, false, KeyChord{SDLK_SPACE, anything}, KeyChord{SDLK_p, nothing}>};
constexpr KeyBinding kSeek5[] = {kBinding<seek_back_5s, true, KeyChord{SDLK_LEFT, nothing}>,
                                 kBinding<seek_forward_5s, true, KeyChord{SDLK_RIGHT, nothing}>};
constexpr KeyBinding kSeek60[] = {kBinding<seek_back_60s, true, KeyChord{SDLK_DOWN, nothing}>,
                                  kBinding<seek_forward_60s, true, KeyChord{SDLK_UP, nothing}>};
constexpr KeyBinding kStep[] = {kBinding<step_back, true, KeyChord{SDLK_COMMA, nothing}>,
                                kBinding<step_forward, true, KeyChord{SDLK_PERIOD, nothing}>};
constexpr KeyBinding kEnds[] = {kBinding<seek_first, false, KeyChord{SDLK_HOME, nothing}>,
                                kBinding<seek_last, false, KeyChord{SDLK_END, nothing}>};
constexpr KeyBinding kSpeed[] = {kBinding<slower, true, KeyChord{SDLK_LEFTBRACKET, nothing}, KeyChord{SDLK_8, alt_gr}>,
                                 kBinding<faster, true, KeyChord{SDLK_RIGHTBRACKET, nothing}, KeyChord{SDLK_9, alt_gr}>,
                                 kBinding<normal_speed, false, KeyChord{SDLK_BACKSPACE, anything}>};
constexpr KeyBinding kVolume[] = {kBinding<quieter, true, KeyChord{SDLK_9, nothing}>,
                                  kBinding<louder, true, KeyChord{SDLK_0, nothing}>};
constexpr KeyBinding kMute[] = {kBinding<toggle_mute, false, KeyChord{SDLK_m, nothing}>};
constexpr KeyBinding kLoop[] = {kBinding<toggle_loop, false, KeyChord{SDLK_l, nothing}>};
constexpr KeyBinding kItems[] = {
    kBinding<next_item, false, KeyChord{SDLK_n, nothing}, KeyChord{SDLK_PERIOD, shift},
             KeyChord{SDLK_GREATER, anything}, KeyChord{SDLK_LESS, shift}>,
    kBinding<previous_item, false, KeyChord{SDLK_n, shift}, KeyChord{SDLK_COMMA, shift}, KeyChord{SDLK_LESS, nothing}>};
constexpr KeyBinding kFullscreen[] = {
    kBinding<toggle_fullscreen, false, KeyChord{SDLK_f, nothing}, KeyChord{SDLK_F11, anything}>};
constexpr KeyBinding kMonitor[] = {kBinding<next_monitor, false, KeyChord{SDLK_f, shift}>};
constexpr KeyBinding kScale[] = {kBinding<next_scale, false, KeyChord{SDLK_w, nothing}>};
constexpr KeyBinding kDisplay[] = {kBinding<toggle_osd, false, KeyChord{SDLK_i, nothing}>};
constexpr KeyBinding kPosition[] = {kBinding<show_position, false, KeyChord{SDLK_o, nothing}>};
constexpr KeyBinding kScreenshot[] = {kBinding<screenshot, false, KeyChord{SDLK_s, nothing}>};
constexpr KeyBinding kRecord[] = {kBinding<toggle_recording, false, KeyChord{SDLK_r, nothing}>};
constexpr KeyBinding kKeys[] = {kBinding<toggle_keys, false, KeyChord{SDLK_QUESTION, anything},
                                         KeyChord{SDLK_SLASH, anything}, KeyChord{SDLK_h, nothing}>};
constexpr KeyBinding kQuit[] = {kBinding<quit, false, KeyChord{SDLK_q, nothing}>};
constexpr KeyBinding kEscape[] = {kBinding<escape, false, KeyChord{SDLK_ESCAPE, anything}>};

constexpr KeyRow kRows[] = {
    {"space  p", "pause (right click too)", kPause},
    {"left  right", "5 seconds back, forward", kSeek5},
    {"down  up", "60 seconds back, forward", kSeek60},
    {",  .", "one frame back, forward", kStep},
    {"Home  End", "first frame, last frame", kEnds},
    {"[  ]  Backspace", "slower, faster, normal speed", kSpeed},
    {"9  0", "quieter, louder (mouse wheel too)", kVolume},
    {"m", "mute", kMute},
    {"l", "loop", kLoop},
    {"n  N", "next, previous of the list (> < too)", kItems},
    {"f  F11", "fullscreen (double click too)", kFullscreen},
    {"F", "fullscreen on the next monitor", kMonitor},
    {"w", "fit, fill, 1:1", kScale},
    {"i", "display: what is played, and how well", kDisplay},
    {"o", "show the position", kPosition},
    {"s", "screenshot", kScreenshot},
    {"r", "record the stream, end that", kRecord},
    {"?  h", "these keys", kKeys},
    {"q", "quit", kQuit},
    {"Esc", "leave fullscreen, else quit", kEscape},
};

bool is_held(Held wanted, unsigned modifiers) {
  const bool shift_held = (modifiers & KMOD_SHIFT) != 0;
  const bool alt_gr_held = (modifiers & (KMOD_RALT | KMOD_MODE)) != 0;
  switch (wanted) {
    case nothing: return !shift_held && !alt_gr_held;
    case shift: return shift_held && !alt_gr_held;
    case alt_gr: return alt_gr_held;
    case anything: return true;
  }
  return false;
}

UserInput at(Command command, int x, int y, PointerScale scale) {
  return {command, static_cast<int>(std::floor(x * scale.x)), static_cast<int>(std::floor(y * scale.y))};
}

std::optional<UserInput> button_pressed(const SDL_MouseButtonEvent& button, PointerScale scale) {
  if (button.button == SDL_BUTTON_RIGHT) return Command::toggle_pause;
  if (button.button != SDL_BUTTON_LEFT) return std::nullopt;
  return at(button.clicks == 2 ? Command::pointer_double_pressed : Command::pointer_pressed, button.x, button.y, scale);
}

std::optional<UserInput> wheel_turned(const SDL_MouseWheelEvent& wheel) {
  const int up = wheel.direction == SDL_MOUSEWHEEL_FLIPPED ? -wheel.y : wheel.y;
  if (up == 0) return std::nullopt;
  return up > 0 ? Command::louder : Command::quieter;
}

std::optional<UserInput> dropped_file(char* name) {
  const std::unique_ptr<char, decltype(&SDL_free)> owner(name, &SDL_free);
  if (name == nullptr) return std::nullopt;
  return UserInput(Command::file_dropped, name);
}

std::optional<UserInput> window_changed(Uint8 what) {
  switch (what) {
    case SDL_WINDOWEVENT_SIZE_CHANGED:
    case SDL_WINDOWEVENT_EXPOSED: return Command::redraw;
    case SDL_WINDOWEVENT_LEAVE: return Command::pointer_left;
    default: return std::nullopt;
  }
}

}  // namespace

std::span<const KeyRow> key_table() { return kRows; }

std::optional<Command> command_for_key(SDL_Keycode key, unsigned modifiers, bool is_repeat) {
  if ((modifiers & (KMOD_CTRL | KMOD_LALT | KMOD_GUI)) != 0) return std::nullopt;
  const auto matches = [&](const KeyChord& chord) { return chord.key == key && is_held(chord.held, modifiers); };
  for (const KeyRow& row : kRows)
    for (const KeyBinding& binding : row.bindings)
      if ((binding.repeats || !is_repeat) && std::any_of(binding.chords.begin(), binding.chords.end(), matches))
        return binding.command;
  return std::nullopt;
}

std::optional<UserInput> input_of(const SDL_Event& event, PointerScale scale) {
  switch (event.type) {
    case SDL_QUIT: return Command::quit;
    case SDL_KEYDOWN:
      if (const auto command = command_for_key(event.key.keysym.sym, event.key.keysym.mod, event.key.repeat != 0))
        return *command;
      return std::nullopt;
    case SDL_MOUSEMOTION: return at(Command::pointer_moved, event.motion.x, event.motion.y, scale);
    case SDL_MOUSEBUTTONDOWN: return button_pressed(event.button, scale);
    case SDL_MOUSEBUTTONUP:
      if (event.button.button != SDL_BUTTON_LEFT) return std::nullopt;
      return at(Command::pointer_released, event.button.x, event.button.y, scale);
    case SDL_MOUSEWHEEL: return wheel_turned(event.wheel);
    case SDL_DROPFILE: return dropped_file(event.drop.file);
    case SDL_DROPCOMPLETE: return Command::drop_complete;
    case SDL_WINDOWEVENT: return window_changed(event.window.event);
    default: return std::nullopt;
  }
}

std::vector<std::string> key_help() {
  std::vector<std::string> lines;
  for (const KeyRow& row : kRows) lines.push_back(fmt::format("{:<17} {}", row.keys, row.about));
  return lines;
}

std::vector<std::string> key_lines() {
  std::vector<std::string> lines;
  for (const KeyRow& row : key_table()) lines.push_back(fmt::format("{}\t{}", row.keys, row.about));
  return lines;
}

}  // namespace texcast::player
