// sender_candidate.h — what another sender sends while it is not known yet whether the present one is gone: kept, so
// that nothing of it is missing when it takes over. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "base/frame_times.h"
#include "media_packet.h"

namespace texcast::transport {

// Packets of one sender. Allocates when there is one; as soon as the present sender is heard again all is forgotten.
class SenderCandidate {
 public:
  static constexpr size_t kMaxBytes = size_t{32} << 20;  // more, and it begins anew
  static constexpr size_t kMaxPackets = 65536;

  struct Kept {
    MediaPacket packet;
    SteadyTime now{};
    WallTime wall_now{};
  };

  void keep(const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
    if (ssrc_ != packet.rtp.ssrc || bytes_.size() + packet.piece.size() > kMaxBytes || kept_.size() >= kMaxPackets)
      forget();
    ssrc_ = packet.rtp.ssrc;
    places_.push_back({bytes_.size(), packet.piece.size()});
    bytes_.insert(bytes_.end(), packet.piece.begin(), packet.piece.end());
    kept_.push_back({packet, now, wall_now});
    kept_.back().packet.rtp.payload = kept_.back().packet.rtp.extension = {};
  }
  void forget() {
    kept_.clear();
    places_.clear();
    bytes_.clear();
    next_ = 0;
    replaying_ = false;
  }
  bool any() const { return !kept_.empty(); }
  uint32_t ssrc() const { return ssrc_; }

  // It is the sender now: its packets one after the other, until done.
  void replay() { replaying_ = any(); }
  bool replaying() const { return replaying_; }
  const Kept& front() {
    Kept& kept = kept_[next_];
    kept.packet.piece = Bytes(bytes_).subspan(places_[next_].begin, places_[next_].bytes);
    return kept;
  }
  void pop() {
    if (++next_ == kept_.size()) forget();
  }

 private:
  struct Place {
    size_t begin, bytes;
  };
  uint32_t ssrc_ = 0;
  std::vector<Kept> kept_;
  std::vector<Place> places_;
  std::vector<std::byte> bytes_;
  size_t next_ = 0;
  bool replaying_ = false;
};

}  // namespace texcast::transport
