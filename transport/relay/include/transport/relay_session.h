// relay_session.h — a stream that passes through a relay, without sockets, threads or textures: which datagrams of its
// source go on to the relay's receivers, which feedback goes back to the sender, and what the relay answers itself.
//
//     sender ──datagram──► on_datagram() ──the same, if it is the selected sender's──► receivers
//        ▲                       │ PacketCache                                             │
//        └── poll_feedback() ◄── NACKs of its own, TileRequestMerger ◄── on_feedback() ◄───┘
//                                      a receiver's NACKs: from the cache, to that receiver
//
// Toward the sender a relay is one receiver: it requests lost packets (ReceiveSession), and what comes again passes
// like the rest. The relay makes packets that parity restored again and passes them too (poll_made()), so that the
// parity repairs the losses of the next hop there. Datagrams pass unchanged, except that
// - encrypted ones are decrypted if there are keys, and refused otherwise; with RelayChoices::keeps_seal they pass as
//   they are, with and without the keys;
// - HopChoices replaces the parity of unencrypted streams, and who answers NACKs.
//
// Without the keys of a sealed stream a relay sees envelopes only (keyless_passage.h): it passes sealed feedback on,
// limited (sealed_feedback.h), and answers NACKs that name envelopes by their counters (envelope_relay.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "transport/envelope_relay.h"
#include "transport/feedback_opener.h"
#include "transport/hop_wire.h"
#include "transport/keyless_passage.h"
#include "transport/packet_cache.h"
#include "transport/packet_opener.h"
#include "transport/packetizer.h"
#include "transport/peer_address.h"
#include "transport/receive_session.h"
#include "transport/sealed_feedback.h"
#include "transport/tile_request_merger.h"

namespace texcast::transport {

struct RelayChoices {
  bool keeps_seal = false;  // receivers get encrypted datagrams as they are
  HopChoices hop{};         // of unencrypted streams
};

// Not thread-safe. No input makes it throw or grow without bound.
class RelaySession {
 public:
  // With `settings.request_lost` feedback for the sender is made (poll_feedback()).
  explicit RelaySession(const ReceiveSettings& settings, const PacketCacheSettings& cache = {},
                        const RelayChoices& choices = {});

  // A datagram of the source. Returns what goes to all receivers; nothing if it is another sender's, refused or
  // damaged. Valid until the next call.
  std::optional<Bytes> on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now, const PeerAddress& from);
  // Datagrams that were made here, for all receivers: restored packets, parity of this hop, and offers to repair
  // envelopes. Call it after
  // on_datagram() and poll(); valid until the next call of any of these.
  std::span<const OutgoingPacket> poll_made();
  // A receiver's feedback; sealed if keeps_seal and the stream is. Returns what goes to this receiver again, valid
  // until the next call of any of these; other feedback is kept for the sender.
  // `shares`: who shares the limit on what goes again; the receiver itself if that is not given. Answers to a member of
  // a group go to all members, so they share one.
  std::span<const OutgoingPacket> on_feedback(uint32_t receiver, Bytes datagram, SteadyTime now,
                                              std::optional<uint32_t> shares = {});
  // A receiver has left.
  void forget(uint32_t receiver) {
    cache_.forget(receiver);
    envelopes_.forget(receiver);
    merger_.forget(receiver);
  }

  // Call them when next_deadline() has passed, and after on_datagram() and on_feedback(). The next datagram for the
  // sender (sender().from), until there is none; valid until the next call.
  std::optional<Bytes> poll_feedback(SteadyTime now);
  std::optional<SteadyTime> next_deadline() const;
  // Finishes frames whose time is over.
  void poll(SteadyTime now, WallTime wall_now);

  // The description of the latest frame; nothing before the first one. `streams()` increases when the description or
  // the sender changes.
  const std::optional<StreamDesc>& stream() const { return stream_; }
  uint64_t streams() const { return streams_; }
  uint64_t frames() const { return frames_; }  // that have arrived, complete or not
  // The sender whose datagrams pass. Without the keys of a sealed stream its SSRC is 0.
  const SelectedSender& sender() const { return sender_; }
  bool is_keyless() const { return keyless_now_; }  // it is encrypted, and there are no keys
  const ReceiveCounters& counters() const { return session_.counters(); }
  const Refused& last_refusal() const { return session_.last_refusal(); }
  ReceiveSession& session() { return session_; }   // for the counters of the caller
  bool opens_seal() const { return opens_seal_; }  // the latest datagram that passed was encrypted
  uint64_t passed() const { return passed_; }      // datagrams
  uint64_t passed_bytes() const { return passed_bytes_; }
  uint64_t sent_again() const { return cache_.sent_again() + envelopes_.sent_again(); }  // packets, stored here
  uint64_t tile_requests() const { return merger_.received(); }                          // of receivers
  uint64_t tile_requests_passed_on() const { return merger_.passed_on(); }
  uint64_t nacks() const { return cache_.requests() + envelopes_.requests(); }  // of receivers
  uint64_t restored() const { return restored_count_; }  // packets that parity restored, and that passed after that
  // Datagrams of the selected sender's stream that came from another address after they had passed: the relay gets its
  // own stream.
  uint64_t returned() const { return returned_ + keyless_.returned(); }
  const KeylessPassage& keyless() const { return keyless_; }
  const EnvelopeRelay& envelopes() const { return envelopes_; }
  const SealedFeedback& sealed_feedback() const { return sealed_feedback_; }

 private:
  std::optional<Bytes> pass_keyless(Bytes datagram, const KeylessPassage::Envelope& envelope, SteadyTime now,
                                    const PeerAddress& from);
  Bytes as_for_receivers(Bytes datagram, Bytes plain);
  void note_returned(Bytes plain);
  void make_packets(const ReceivedFrame& frame, SteadyTime now);
  void count(Bytes datagram);
  std::optional<Bytes> decrypted(Bytes datagram, WallTime wall_now);
  bool follow_sender();
  std::optional<Bytes> passed(Bytes datagram, Bytes plain, bool is_sealed, SteadyTime now, const PeerAddress& from);

  const RelayChoices choices_;
  const std::shared_ptr<const WireKeys> keys_;
  ReceiveSession session_;
  PacketOpener opener_;
  PacketCache cache_;
  TileRequestMerger merger_;
  KeylessPassage keyless_;
  EnvelopeRelay envelopes_;
  SealedFeedback sealed_feedback_;
  FrameRemaker remaker_;
  // They read feedback to the selected sender. There are several for a sealed stream: each remembers 64 sessions.
  std::vector<FeedbackOpener> feedback_;
  SelectedSender sender_{};
  uint64_t followed_ = 0;  // SelectedSender::count of session_
  bool keyless_now_ = false;
  SteadyTime heard_{};                // a datagram of session_'s sender
  std::optional<uint32_t> newest_{};  // buffer id of the newest frame
  static constexpr size_t kOpeners = 16;
  static constexpr size_t kMostMade = 1 << 15;  // until poll_made()
  FrameRemaker::Datagrams made_, polled_;
  std::vector<OutgoingPacket> polled_packets_;
  std::vector<std::byte> rewritten_;  // of decrypted()
  std::vector<std::byte> changed_;    // of as_for_receivers()
  std::optional<StreamDesc> stream_;
  uint64_t streams_ = 0, frames_ = 0;
  bool opens_seal_ = false;
  uint64_t passed_ = 0, passed_bytes_ = 0;
  uint64_t restored_count_ = 0, returned_ = 0;
};

}  // namespace texcast::transport
