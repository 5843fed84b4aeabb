#include "stream/recording_sound.h"

namespace texcast::stream {

void WaitingSound::put(const SoundBlock& block) {
  pieces_.push_back({block, {block.samples.begin(), block.samples.end()}});
  const auto one = static_cast<size_t>(block.format.rate) * static_cast<size_t>(block.format.channels);
  size_t all = 0;
  for (const Piece& piece : pieces_) all += piece.samples.size();
  while (all > kMostSeconds * one && pieces_.size() > 1) {
    all -= pieces_.front().samples.size();
    pieces_.pop_front();
  }
}

}  // namespace texcast::stream
