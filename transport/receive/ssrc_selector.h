// ssrc_selector.h — selects the sender whose packets are shown, and keeps the packets of candidates until one of them
// takes over. A sender is an SSRC with its address, or a sealed session (sender_id.h). No I/O; time is an argument.
//
// Owns: the selected sender, when its latest packet arrived, its frame rate, its sequence and frame numbers, and the
// packets of the candidates (candidate_senders.h).
// Invariants: only packets of the selected sender are numbered here. Packets of candidates are stored unread. They are
// dropped as soon as the selected sender is heard again. If it stays silent for long enough, the next sender's packets
// are replayed, so that none of them is lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "candidate_senders.h"
#include "media_packet.h"
#include "sender_id.h"
#include "sequence_numbers.h"
#include "texcast/frame_times.h"
#include "transport/receive_session.h"

namespace texcast::transport {

class SsrcSelector {
 public:
  using Arrival = SequenceTracker::Arrival;

  explicit SsrcSelector(nanoseconds timeout) : timeout_(timeout) {}  // ReceiveSettings::sender_timeout

  // True if the sender's packets are accepted. The sender takes over if none is selected yet; if the selected one has
  // been silent for four frame times, but at least 250 ms and at most the timeout; at once if both are sealed and its
  // session began later; or at once if it was the selected one before another host took over within the last minute.
  bool accept(const SenderId& sender, SteadyTime now);
  bool is_selected(const SenderId& sender) const { return selected_.count > 0 && id_ == sender; }
  // Counts the selected senders from 1. Frames remember it.
  uint64_t number() const { return selected_.count; }
  bool is_selected(uint64_t number) const { return selected_.count == number; }
  const SelectedSender& selected() const { return selected_; }
  bool is_sealed() const { return id_.sealed; }
  // The sealed session of the selected sender.
  std::optional<uint64_t> session() const {
    return selected_.count > 0 && id_.sealed ? std::optional(id_.session) : std::nullopt;
  }
  // A packet of the selected sender arrived.
  void note_heard(const PeerAddress& from, SteadyTime now) {
    heard_ = now;
    selected_.from = from;
  }
  void note_rate(double fps) { fps_ = fps; }
  SteadyTime heard() const { return heard_; }
  // The sender announces its rate: anything slower than a frame every ten seconds counts as that.
  nanoseconds frame_time() const { return from_seconds(std::min(1 / fps_, 10.0)); }

  // Sequence and frame numbers of the selected sender.
  Arrival arrived(const RtpPacket& rtp) { return sequence_.arrived(rtp.sequence); }
  std::optional<FrameOrder::Place> place(uint32_t buffer_id, bool repeated, SteadyTime now);
  const SequenceTracker& sequence() const { return sequence_; }
  // Counts losses up to this number, which the sequence's last() returned.
  void settle(uint64_t up_to) { sequence_.settle(up_to); }

  // A packet of a waiting frame arrived; or one of a finished frame that is no duplicate. The latter returns true if
  // nearly all packets are late, which means that a jump ahead was wrongly accepted (a forged packet, or several
  // damaged ones). The numbers then start again with the next place(), and jumps are checked more strictly for a while.
  void note_in_time() { late_packets_ -= std::min(late_packets_, kInTimeWeighs); }
  bool note_late(uint32_t buffer_id, SteadyTime now);

  // Stores a packet of a candidate. Allocates.
  void keep(const SenderId& sender, const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
    candidates_.keep(sender, packet, now, wall_now);
  }
  // Selects the likeliest candidate if the selected sender has been silent for twice the timeout.
  void consider_candidates(SteadyTime now);

  // A candidate was selected: its stored packets, one after the other, until replaying() ends.
  using Kept = CandidateSenders::Kept;
  bool replaying() const { return candidates_.replaying(); }
  bool replays(const SenderId& sender) const { return candidates_.replays(sender); }
  const Kept& replayed() { return candidates_.replayed(); }  // while replaying(); valid until replayed_one()
  void replayed_one() { candidates_.replayed_one(); }

 private:
  static constexpr uint32_t kInTimeWeighs = 2;  // an in-time packet outweighs this many late ones
  static constexpr uint32_t kFewLate = 4;       // packets; fewer prove nothing
  static constexpr int kFramesLate = 2;         // lost frames before the third one shows
  static constexpr nanoseconds kComesBack = std::chrono::seconds(60);
  static constexpr nanoseconds kDistrust = std::chrono::seconds(60);

  // True if the sender was shown before another host took over: a short silence must not be enough for a stranger to
  // keep it out.
  bool comes_back(const SenderId& sender, SteadyTime now) const { return now < before_until_ && sender == before_; }
  bool may_take_over(const SenderId& sender, SteadyTime now) const;
  bool too_far(uint32_t buffer_id, SteadyTime now) const;

  const nanoseconds timeout_;
  SelectedSender selected_{};
  SenderId id_{};  // valid if selected_.count > 0
  SenderId before_{};
  SteadyTime before_until_{};
  SteadyTime heard_{};
  double fps_ = 30;
  SequenceTracker sequence_;
  FrameOrder order_;
  uint32_t late_packets_ = 0;  // recent late packets, less those in time
  uint32_t first_late_ = 0;    // frame number of the first of them
  SteadyTime distrust_until_{};
  SteadyTime placed_{};  // when a packet was last placed
  CandidateSenders candidates_;
};

}  // namespace texcast::transport
