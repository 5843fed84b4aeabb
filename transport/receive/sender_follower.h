// sender_follower.h — which sender is listened to, and what another one sends by the time that it takes over. Pure:
// time is an argument.
//
// Owns: who is followed, when it was heard, its rate, its packet and frame numbers, and the packets of others
// (other_senders.h). Invariants: only packets of the sender that is followed have a number here. Packets of others are
// kept, not looked at: as soon as the present sender is heard again they are forgotten, and when the present sender has
// been silent for long enough those of the next are replayed, so that nothing of it is missing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "media_packet.h"
#include "other_senders.h"
#include "sender_id.h"
#include "sender_numbers.h"
#include "texcast/frame_times.h"
#include "transport/receive_session.h"

namespace texcast::transport {

class SenderFollower {
 public:
  using Arrival = SequenceTracker::Arrival;

  explicit SenderFollower(nanoseconds timeout) : timeout_(timeout) {}  // ReceiveSettings::sender_timeout

  // Whether what this sender says counts. It takes over where nobody is followed yet; where the present one has been
  // silent for four frame times, at least 250 ms, at most the timeout; at once where both are sealed and its session
  // began later; and at once where it was followed before, until another host took over, in the last minute.
  bool accept(const SenderId& sender, SteadyTime now);
  bool follows(const SenderId& sender) const { return followed_.count > 0 && id_ == sender; }
  // Of the senders that were followed, from 1: frames remember it.
  uint64_t number() const { return followed_.count; }
  bool follows(uint64_t number) const { return followed_.count == number; }
  const FollowedSender& followed() const { return followed_; }
  bool is_sealed() const { return id_.sealed; }
  // A packet of the sender that is followed came.
  void note_heard(const PeerAddress& from, SteadyTime now) {
    heard_ = now;
    followed_.from = from;
  }
  void note_rate(double fps) { fps_ = fps; }
  SteadyTime heard() const { return heard_; }
  // The rate is the sender's word: a frame every ten seconds is the slowest that is believed.
  nanoseconds frame_time() const { return from_seconds(std::min(1 / fps_, 10.0)); }

  // Its numbers.
  Arrival arrived(const RtpPacket& rtp) { return sequence_.arrived(rtp.sequence); }
  std::optional<FrameOrder::Place> place(uint32_t buffer_id, bool repeated, SteadyTime now);
  const SequenceTracker& sequence() const { return sequence_; }
  void settle(uint64_t up_to) { sequence_.settle(up_to); }  // packets up to here, as the sequence's last() gave it

  // A packet of a frame that is still waited for came. One of a frame that is over came, and was no copy: true where
  // nearly all that comes is so, which means that a jump ahead was believed that was none (a forged packet, or several
  // damaged ones). Then the numbers begin anew with the next place(), and jumps are distrusted for a while.
  void note_in_time() { late_packets_ -= std::min(late_packets_, kInTimeWeighs); }
  bool note_late(uint32_t buffer_id, SteadyTime now);

  // A packet of a sender that may be the next one. Allocates.
  void keep(const SenderId& sender, const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
    others_.keep(sender, packet, now, wall_now);
  }
  // Where nobody is heard any more, the likeliest of those who were is followed.
  void consider_other(SteadyTime now);

  // The other sender is followed now: its packets, one after the other, until replaying() ends.
  using Kept = OtherSenders::Kept;
  bool replaying() const { return others_.replaying(); }
  bool replays(const SenderId& sender) const { return others_.replays(sender); }
  const Kept& replayed() { return others_.replayed(); }  // where replaying(); valid until replayed_one()
  void replayed_one() { others_.replayed_one(); }

 private:
  static constexpr uint32_t kInTimeWeighs = 2;  // as much as so many that are late
  static constexpr uint32_t kFewLate = 4;       // packets; fewer prove nothing
  static constexpr int kFramesLate = 2;         // frames that are lost before the third shows
  static constexpr nanoseconds kComesBack = std::chrono::seconds(60);
  static constexpr nanoseconds kDistrust = std::chrono::seconds(60);

  // Whether it is the one that was shown before another host took over: a short silence must not be enough for a
  // stranger to keep it out.
  bool comes_back(const SenderId& sender, SteadyTime now) const { return now < before_until_ && sender == before_; }
  bool may_take_over(const SenderId& sender, SteadyTime now) const;
  bool too_far(uint32_t buffer_id, SteadyTime now) const;

  const nanoseconds timeout_;
  FollowedSender followed_{};
  SenderId id_{};  // where followed_.count > 0
  SenderId before_{};
  SteadyTime before_until_{};
  SteadyTime heard_{};
  double fps_ = 30;
  SequenceTracker sequence_;
  FrameOrder order_;
  uint32_t late_packets_ = 0;  // that came lately, less those in time
  uint32_t first_late_ = 0;    // frame of the first of them
  SteadyTime distrust_until_{};
  SteadyTime placed_{};  // when a packet had a place last
  OtherSenders others_;
};

}  // namespace texcast::transport
