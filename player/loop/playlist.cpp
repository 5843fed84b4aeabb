#include "player/playlist.h"

#include <utility>

#include "base/ensure.h"

namespace texcast::player {

Playlist::Playlist(std::vector<std::string> sources) : sources_(std::move(sources)) { ENSURE(!sources_.empty()); }

bool Playlist::move(Direction direction, bool loop) {
  const size_t last = sources_.size() - 1;
  if (direction == Direction::forward) {
    if (index_ == last && !loop) return false;
    index_ = index_ == last ? 0 : index_ + 1;
  } else {
    if (index_ == 0 && !loop) return false;
    index_ = index_ == 0 ? last : index_ - 1;
  }
  return true;
}

}  // namespace texcast::player
