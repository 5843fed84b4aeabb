// relay_session.h — a stream that passes through a relay, without sockets, threads or textures: which datagrams of its
// source go on to the relay's receivers, which feedback goes back to the sender, and what the relay answers itself.
//
//     sender ──datagram──► on_datagram() ──the same, if it is the selected sender's──► receivers
//        ▲                       │ PacketCache                                             │
//        └── poll_feedback() ◄── NACKs of its own, TileRequestMerger ◄── on_feedback() ◄───┘
//                                      a receiver's NACKs: from the cache, to that receiver
//
// Toward the sender a relay is one receiver: it requests lost packets (ReceiveSession), and what comes again passes
// like the rest. Datagrams pass unchanged, except that encrypted ones are decrypted if there are keys: the relay's
// receivers need none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "transport/feedback_opener.h"
#include "transport/packet_cache.h"
#include "transport/packet_opener.h"
#include "transport/packetizer.h"
#include "transport/peer_address.h"
#include "transport/receive_session.h"
#include "transport/tile_request_merger.h"

namespace texcast::transport {

// Not thread-safe. No input makes it throw or grow without bound.
class RelaySession {
 public:
  // With `settings.request_lost` feedback for the sender is made (poll_feedback()).
  explicit RelaySession(const ReceiveSettings& settings, const PacketCacheSettings& cache = {});

  // A datagram of the source. Returns what goes to all receivers; nothing if it is another sender's, refused or
  // damaged. Valid until the next call.
  std::optional<Bytes> on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now, const PeerAddress& from);
  // A receiver's feedback, not encrypted. Returns what goes to this receiver again, valid until the next call of any of
  // these; other feedback is kept for the sender.
  std::span<const OutgoingPacket> on_feedback(uint32_t receiver, Bytes datagram, SteadyTime now);
  // A receiver has left.
  void forget(uint32_t receiver) { cache_.forget(receiver); }

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
  const SelectedSender& sender() const { return session_.sender(); }
  const ReceiveCounters& counters() const { return session_.counters(); }
  const Refused& last_refusal() const { return session_.last_refusal(); }
  ReceiveSession& session() { return session_; }   // for the counters of the caller
  bool opens_seal() const { return opens_seal_; }  // the latest datagram that passed was encrypted
  uint64_t passed() const { return passed_; }      // datagrams
  uint64_t passed_bytes() const { return passed_bytes_; }
  uint64_t sent_again() const { return cache_.sent_again(); }    // packets, from the cache
  uint64_t tile_requests() const { return merger_.received(); }  // of receivers
  uint64_t tile_requests_passed_on() const { return merger_.passed_on(); }

 private:
  std::optional<Bytes> decrypted(Bytes datagram, WallTime wall_now);
  void follow_sender();

  ReceiveSession session_;
  PacketOpener opener_;
  PacketCache cache_;
  TileRequestMerger merger_;
  std::optional<FeedbackOpener> feedback_;  // of the selected sender's stream
  uint64_t sender_ = 0;                     // SelectedSender::count
  std::vector<std::byte> rewritten_;        // of decrypted()
  std::optional<StreamDesc> stream_;
  uint64_t streams_ = 0, frames_ = 0;
  bool opens_seal_ = false;
  uint64_t passed_ = 0, passed_bytes_ = 0;
};

}  // namespace texcast::transport
