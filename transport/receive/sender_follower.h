// sender_follower.h — which sender is listened to, and what another one sends by the time that it takes over. Pure:
// time is an argument.
//
// Owns: the SSRC that is followed, when it was heard, its rate, its packet and frame numbers, and the packets of at
// most one other sender. Invariants: only packets of the sender that is followed have a number here. Packets of another
// are kept, not looked at: as soon as the present sender is heard again they are forgotten, and when the present sender
// has been silent for long enough they are replayed, so that nothing of the new one is missing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/frame_times.h"
#include "media_packet.h"
#include "sender_numbers.h"

namespace texcast::transport {

class SenderFollower {
 public:
  using Arrival = SequenceTracker::Arrival;
  static constexpr size_t kMaxKeptBytes = size_t{32} << 20;  // of the other sender; more, and it begins anew
  static constexpr size_t kMaxKeptPackets = 65536;

  explicit SenderFollower(nanoseconds timeout) : timeout_(timeout) {}  // ReceiveSettings::sender_timeout

  // Whether what this sender says counts. It takes over where nobody is followed yet, or where the present one has been
  // silent for four frame times, at least 250 ms, at most the timeout.
  bool accept(uint32_t ssrc, SteadyTime now);
  bool follows(uint32_t ssrc) const { return ssrc_ == ssrc; }
  void note_heard(SteadyTime now) { heard_ = now; }  // a packet of the sender that is followed came
  void note_rate(double fps) { fps_ = fps; }
  SteadyTime heard() const { return heard_; }
  // The rate is the sender's word: a frame every ten seconds is the slowest that is believed.
  nanoseconds frame_time() const {
    return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(std::min(1 / fps_, 10.0)));
  }

  // Its numbers.
  Arrival arrived(const RtpPacket& rtp) { return sequence_.arrived(rtp.sequence); }
  std::optional<FrameOrder::Place> place(uint32_t buffer_id, bool repeated) {
    return order_.place(buffer_id, repeated);
  }
  const SequenceTracker& sequence() const { return sequence_; }
  void settle(uint64_t up_to) { sequence_.settle(up_to); }  // packets up to here, as the sequence's last() gave it

  // A packet of a sender that may be the next one. Allocates.
  void keep(const MediaPacket& packet, SteadyTime now, WallTime wall_now);
  // Where nobody is heard any more, the last one who was is followed.
  void consider_other(SteadyTime now);

  // The other sender is followed now: its packets, one after the other, until replaying() ends.
  struct Kept {
    MediaPacket packet;
    SteadyTime now{};
    WallTime wall_now{};
  };
  bool replaying() const { return replaying_; }
  bool replays(uint32_t ssrc) const { return replaying_ && other_ssrc_ == ssrc; }
  const Kept& replayed();  // where replaying(); valid until replayed_one()
  void replayed_one();

 private:
  struct Place {
    size_t begin, bytes;
  };
  void forget_other();

  const nanoseconds timeout_;
  std::optional<uint32_t> ssrc_;
  SteadyTime heard_{};
  double fps_ = 30;
  SequenceTracker sequence_;
  FrameOrder order_;

  // The other sender. Its pieces lie one behind another in `bytes_`.
  uint32_t other_ssrc_ = 0;
  std::vector<Kept> kept_;
  std::vector<Place> places_;
  std::vector<std::byte> bytes_;
  size_t next_ = 0;
  bool replaying_ = false;
};

}  // namespace texcast::transport
