// receive_sender.cpp — which sender is listened to, and what another one has sent by the time that it takes over.
#include <algorithm>

#include "receive_state.h"

namespace texcast::transport {

bool ReceiveSession::State::accept_sender(uint32_t new_ssrc, SteadyTime now) {
  if (ssrc == new_ssrc) {
    if (candidate.any() && !candidate.replaying()) candidate.forget();
    return true;
  }
  if (ssrc) {
    const nanoseconds quiet = std::max<nanoseconds>(std::chrono::milliseconds(250), 4 * frame_time(sender_fps));
    if (now - heard < std::min(quiet, settings.sender_timeout)) return false;
  }
  sequence.restart();
  order.restart();
  ssrc = new_ssrc;
  heard = now;
  if (candidate.ssrc() == new_ssrc)
    candidate.replay();
  else
    candidate.forget();
  return true;
}

// A packet of a sender that may be the next one. It counts as foreign until then.
void ReceiveSession::State::keep_for_later(const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
  if (candidate.replaying() && candidate.ssrc() != packet.rtp.ssrc) replay_all();
  ++counters.foreign;
  candidate.keep(packet, now, wall_now);
}

void ReceiveSession::State::replay_next() {
  const SenderCandidate::Kept& kept = candidate.front();
  --counters.foreign;
  on_accepted(kept.packet, kept.now, kept.wall_now);
  candidate.pop();
}

void ReceiveSession::State::replay_all() {
  while (candidate.replaying()) replay_next();
}

// Where nobody is heard any more, the last one who was is listened to.
void ReceiveSession::State::consider_candidate(SteadyTime now) {
  if (candidate.any() && !candidate.replaying() && now - heard >= 2 * settings.sender_timeout)
    accept_sender(candidate.ssrc(), now);
}

}  // namespace texcast::transport
