#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "input_map.h"
#include "player/window.h"

namespace texcast::player {
namespace {

unsigned modifiers_of(Held held) {
  return held == Held::shift ? KMOD_LSHIFT : held == Held::alt_gr ? KMOD_RALT : KMOD_NONE;
}

}  // namespace

TEST_CASE("every key of the table does what its row says, and nothing else") {
  for (const KeyRow& row : key_table()) {
    CAPTURE(row.keys);
    CHECK_FALSE(row.bindings.empty());
    for (const KeyBinding& binding : row.bindings) {
      CHECK_FALSE(binding.chords.empty());
      for (const KeyChord& chord : binding.chords) {
        CHECK(command_for_key(chord.key, modifiers_of(chord.held), false) == binding.command);
        CHECK(command_for_key(chord.key, modifiers_of(chord.held), true).has_value() == binding.repeats);
      }
    }
  }
}

// Compares the names for people with SDL's names of the keys.
TEST_CASE("the table names its keys as SDL does") {
  const auto named = [](const KeyChord& chord) -> std::string {
    switch (chord.key) {
      case SDLK_SPACE: return "space";
      case SDLK_LEFT: return "left";
      case SDLK_RIGHT: return "right";
      case SDLK_DOWN: return "down";
      case SDLK_UP: return "up";
      case SDLK_HOME: return "Home";
      case SDLK_END: return "End";
      case SDLK_BACKSPACE: return "Backspace";
      case SDLK_ESCAPE: return "Esc";
      case SDLK_F11: return "F11";
      default: break;
    }
    const char letter = static_cast<char>(chord.key);
    if (chord.held == Held::shift && letter >= 'a' && letter <= 'z') return {static_cast<char>(letter - 'a' + 'A')};
    return {letter};
  };
  for (const KeyRow& row : key_table()) {
    std::istringstream words(row.keys);
    std::set<std::string> wanted{std::istream_iterator<std::string>(words), {}};
    CAPTURE(row.keys);
    for (const KeyBinding& binding : row.bindings) {
      bool is_named = false;
      for (const KeyChord& chord : binding.chords) {
        is_named = is_named || wanted.count(named(chord)) > 0;
        wanted.erase(named(chord));
      }
      CHECK(is_named);
    }
    CHECK(wanted.empty());
  }
}

TEST_CASE("held keys: seeking, stepping, speed and volume repeat, and nothing else") {
  CHECK(command_for_key(SDLK_RIGHT, 0, true) == Command::seek_forward_5s);
  CHECK(command_for_key(SDLK_PERIOD, 0, true) == Command::step_forward);
  CHECK(command_for_key(SDLK_0, 0, true) == Command::louder);
  for (const SDL_Keycode key : {SDLK_f, SDLK_i, SDLK_SPACE, SDLK_s, SDLK_q, SDLK_n, SDLK_ESCAPE})
    CHECK_FALSE(command_for_key(key, 0, true));
  CHECK_FALSE(command_for_key(SDLK_x, 0, false));
}

TEST_CASE("Shift, AltGr and the window manager's keys") {
  CHECK(command_for_key(SDLK_f, KMOD_RSHIFT, false) == Command::next_monitor);
  CHECK(command_for_key(SDLK_n, KMOD_LSHIFT, false) == Command::previous_item);
  CHECK(command_for_key(SDLK_PERIOD, KMOD_LSHIFT, false) == Command::next_item);  // > on an English keyboard
  CHECK(command_for_key(SDLK_LESS, KMOD_LSHIFT, false) == Command::next_item);    // > on a German one
  CHECK(command_for_key(SDLK_LESS, 0, false) == Command::previous_item);
  CHECK(command_for_key(SDLK_8, KMOD_RALT, false) == Command::slower);  // [ on a German keyboard
  CHECK(command_for_key(SDLK_9, KMOD_MODE, false) == Command::faster);
  CHECK(command_for_key(SDLK_9, 0, false) == Command::quieter);
  CHECK(command_for_key(SDLK_i, KMOD_NUM | KMOD_CAPS, false) == Command::toggle_osd);
  for (const unsigned modifier : {KMOD_LCTRL, KMOD_RCTRL, KMOD_LALT, KMOD_LGUI})
    CHECK_FALSE(command_for_key(SDLK_q, modifier, false));
}

TEST_CASE("the manual has the table of keys") {
  std::ifstream file(TEXCAST_SOURCE_DIR "/docs/manual.md");
  const std::string manual{std::istreambuf_iterator<char>(file), {}};
  REQUIRE_FALSE(manual.empty());
  for (const std::string& line : key_help()) {
    CAPTURE(line);
    CHECK(manual.find(line + "\n") != std::string::npos);
  }
}

}  // namespace texcast::player
