#include <doctest/doctest.h>

#include "player/player.h"

namespace texcast::player {

TEST_CASE("playlist: forward and back, to the ends and no further, or round and round") {
  using enum Playlist::Direction;
  Playlist list({"a", "b", "c"});
  CHECK(list.current() == "a");
  CHECK_FALSE(list.move(back, false));
  CHECK(list.current() == "a");
  CHECK(list.move(forward, false));
  CHECK(list.move(forward, false));
  CHECK(list.current() == "c");
  CHECK(list.place().index == 2);
  CHECK(list.place().count == 3);
  CHECK_FALSE(list.move(forward, false));
  CHECK(list.current() == "c");
  CHECK(list.move(forward, true));
  CHECK(list.current() == "a");
  CHECK(list.move(back, true));
  CHECK(list.current() == "c");
  Playlist single({"x"});
  CHECK_FALSE(single.move(forward, false));
  CHECK(single.move(forward, true));
  CHECK(single.current() == "x");
}

}  // namespace texcast::player
