// keyless_passage.h — encrypted datagrams that pass a relay without the key. No I/O; time is an argument.
//
// Readable without the key are: of texcast's envelopes the session and the counter, of packets with UltraGrid's
// encryption the RTP header. So the passage follows one sender, recognises duplicates and counts gaps. It can neither
// check that a datagram is genuine (receivers do) nor tell data from parity, frames or retransmissions, nor request or
// answer anything in its own name: NACKs are sealed like the stream.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/peer_address.h"
#include "transport/receive_session.h"
#include "transport/replay_window.h"

namespace texcast::transport {

// Not thread-safe.
class KeylessPassage {
 public:
  // Another sender is followed once the followed one has been silent for this long: its frame time is unknown.
  static constexpr nanoseconds kGone = std::chrono::seconds(1);

  static constexpr nanoseconds kAnswered = std::chrono::seconds(1);

  // The readable part of an encrypted datagram. Nothing for others.
  struct Envelope {
    uint64_t stream = 0;   // the sealed session, or the SSRC
    uint64_t counter = 0;  // sequence numbers of RTP have 16 bits
    bool is_sealed = false;
    bool operator==(const Envelope&) const = default;
  };
  static std::optional<Envelope> read(Bytes datagram);

  // True if the datagram is of the followed sender and has not passed before. One that has passed before goes on again
  // for kAnswered after note_feedback(): it may be the sender's answer to a receiver's NACK.
  bool passes(const Envelope& envelope, SteadyTime now, const PeerAddress& from);
  // A receiver's sealed feedback has gone on to the followed sender.
  void note_feedback(SteadyTime now) { feedback_at_ = now; }
  // True if the followed sender, whose datagrams are sealed, has been heard a short time ago.
  bool is_alive(SteadyTime now) const { return sender_.count > 0 && now - heard_ < kGone; }
  // The followed sender's, if its datagrams are sealed.
  std::optional<uint64_t> session() const {
    return sender_.count > 0 && stream_.is_sealed ? std::optional(stream_.stream) : std::nullopt;
  }
  const SelectedSender& sender() const { return sender_; }  // ssrc: of RTP only

  uint64_t lost() const;                               // gaps in the counters of the followed sender
  uint64_t duplicates() const { return duplicates_; }  // that did not pass
  uint64_t passed_again() const { return passed_again_; }
  uint64_t foreign() const { return foreign_; }
  uint64_t returned() const { return returned_; }  // passed already, and come again from another address: a loop

 private:
  void follow(const Envelope& envelope, SteadyTime now, const PeerAddress& from);

  Envelope stream_{};  // its counter: the first one
  SelectedSender sender_{};
  SteadyTime heard_{};
  std::optional<SteadyTime> feedback_at_{};
  ReplayWindow window_{};
  uint64_t highest_ = 0, received_ = 0;
  uint64_t duplicates_ = 0, passed_again_ = 0, foreign_ = 0, returned_ = 0;
};

}  // namespace texcast::transport
