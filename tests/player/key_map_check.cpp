#include <doctest/doctest.h>

#include "key_map.h"
#include "player/player.h"

namespace texcast::player {

TEST_CASE("every key of the list does what the list says") {
  CHECK(command_for_key(SDLK_i, false) == Command::toggle_osd);
  CHECK(command_for_key(SDLK_f, false) == Command::toggle_fullscreen);
  CHECK(command_for_key(SDLK_F11, false) == Command::toggle_fullscreen);
  CHECK(command_for_key(SDLK_SPACE, false) == Command::toggle_pause);
  CHECK(command_for_key(SDLK_LEFT, false) == Command::seek_back_5s);
  CHECK(command_for_key(SDLK_RIGHT, false) == Command::seek_forward_5s);
  CHECK(command_for_key(SDLK_DOWN, false) == Command::seek_back_60s);
  CHECK(command_for_key(SDLK_UP, false) == Command::seek_forward_60s);
  CHECK(command_for_key(SDLK_s, false) == Command::screenshot);
  CHECK(command_for_key(SDLK_QUESTION, false) == Command::toggle_keys);
  CHECK(command_for_key(SDLK_SLASH, false) == Command::toggle_keys);
  CHECK(command_for_key(SDLK_h, false) == Command::toggle_keys);
  CHECK(command_for_key(SDLK_q, false) == Command::quit);
  CHECK(command_for_key(SDLK_ESCAPE, false) == Command::escape);
  CHECK(key_help().size() == 9);
}

TEST_CASE("a held key repeats seeking and nothing else") {
  CHECK(command_for_key(SDLK_RIGHT, true) == Command::seek_forward_5s);
  for (const SDL_Keycode key : {SDLK_f, SDLK_i, SDLK_SPACE, SDLK_s, SDLK_q, SDLK_ESCAPE})
    CHECK_FALSE(command_for_key(key, true));
  CHECK_FALSE(command_for_key(SDLK_x, false));
}

}  // namespace texcast::player
