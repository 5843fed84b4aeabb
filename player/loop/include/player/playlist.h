// playlist.h — sources that are shown one after the other, by their names. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "player/player.h"

namespace texcast::player {

class Playlist {
 public:
  explicit Playlist(std::vector<std::string> sources);  // one at least, else misuse
  const std::string& current() const { return sources_[index_]; }
  size_t size() const { return sources_.size(); }
  ListPlace place() const { return {index_, sources_.size()}; }

  enum class Direction { forward, back };
  // False at the end, where the place stays; `loop`: goes round instead.
  bool move(Direction direction, bool loop);

 private:
  std::vector<std::string> sources_;
  size_t index_ = 0;
};

}  // namespace texcast::player
