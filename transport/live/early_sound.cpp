#include "early_sound.h"

namespace texcast::stream {

void EarlySound::keep(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) {
  if (datagram.size() > kMostBytes) return;
  bytes_ += datagram.size();
  kept_.push_back({.datagram = {datagram.begin(), datagram.end()}, .arrived = arrived, .from = from});
  while (bytes_ > kMostBytes || kept_.front().arrived.steady + kLongest < arrived.steady) {
    bytes_ -= kept_.front().datagram.size();
    kept_.pop_front();
  }
}

}  // namespace texcast::stream
