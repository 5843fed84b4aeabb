#include "sender_follower.h"

namespace texcast::transport {

bool SenderFollower::accept(uint32_t ssrc, SteadyTime now) {
  if (ssrc_ == ssrc) {
    if (!kept_.empty() && !replaying_) forget_other();
    return true;
  }
  if (ssrc_) {
    const nanoseconds quiet = std::max<nanoseconds>(std::chrono::milliseconds(250), 4 * frame_time());
    if (now - heard_ < std::min(quiet, timeout_)) return false;
  }
  sequence_.restart();
  order_.restart();
  ssrc_ = ssrc;
  heard_ = now;
  if (other_ssrc_ == ssrc)
    replaying_ = !kept_.empty();
  else
    forget_other();
  return true;
}

void SenderFollower::keep(const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
  const bool no_room = bytes_.size() + packet.piece.size() > kMaxKeptBytes || kept_.size() >= kMaxKeptPackets;
  if (other_ssrc_ != packet.rtp.ssrc || no_room) forget_other();
  other_ssrc_ = packet.rtp.ssrc;
  places_.push_back({bytes_.size(), packet.piece.size()});
  bytes_.insert(bytes_.end(), packet.piece.begin(), packet.piece.end());
  kept_.push_back({packet, now, wall_now});
  kept_.back().packet.rtp.payload = kept_.back().packet.rtp.extension = {};
}

void SenderFollower::consider_other(SteadyTime now) {
  if (!kept_.empty() && !replaying_ && now - heard_ >= 2 * timeout_) accept(other_ssrc_, now);
}

const SenderFollower::Kept& SenderFollower::replayed() {
  Kept& kept = kept_[next_];
  kept.packet.piece = Bytes(bytes_).subspan(places_[next_].begin, places_[next_].bytes);
  return kept;
}

void SenderFollower::replayed_one() {
  if (++next_ == kept_.size()) forget_other();
}

void SenderFollower::forget_other() {
  kept_.clear();
  places_.clear();
  bytes_.clear();
  next_ = 0;
  replaying_ = false;
}

}  // namespace texcast::transport
