// recording_sound.h — the sound of a recording until the writing thread takes it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "live/sound_block.h"
#include "media/recorded_sound.h"
#include "textures/block_pool.h"

namespace texcast::stream {

// Pieces that wait for the writing thread. Above kMostSeconds the oldest are dropped.
class WaitingSound {
 public:
  static constexpr int kMostSeconds = 4;
  struct Piece {
    SoundBlock block{};  // its samples are in `samples`
    std::vector<float> samples{};
  };
  void put(const SoundBlock& block);
  bool empty() const { return pieces_.empty(); }
  std::deque<Piece> take() { return std::exchange(pieces_, {}); }

 private:
  std::deque<Piece> pieces_;
};

}  // namespace texcast::stream
