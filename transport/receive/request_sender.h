// request_sender.h — asks the sender for packets that were lost, and says how long an answer is worth waiting for.
// Pure: time is an argument.
//
// Owns: what is known of the way to the sender and back (retransmit_requester.h), and the memory of the latest request.
// What is asked for of a frame lies in that frame.
// Invariants: only packets of frames that still fill, of the sender that is followed, are asked for, and only where it
// said that it answers (FrameRequests::answered).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "incoming_frame.h"
#include "sender_follower.h"
#include "transport/receive_session.h"
#include "transport/sealing.h"

namespace texcast::transport {

class RequestSender {
 public:
  RequestSender(const ReceiveSettings& settings, const SenderFollower& sender);

  // Whether the frame's packets can be asked for: the sender answers, and it is known which packets there are.
  static bool askable(const IncomingFrame& frame) { return frame.requests.answered && frame.symbols.known(); }

  // A packet has been put into the frame, of which its `symbols` know already. Gives whether it had been asked for.
  bool data_arrived(IncomingFrame& frame, uint32_t packet, SteadyTime now);
  void parity_arrived(IncomingFrame& frame, SteadyTime now);
  void over(IncomingFrame& frame, SteadyTime now);  // a later frame has begun
  // Of a compact frame it is known how many packets it has, or that there are more.
  static void expect_end(IncomingFrame& frame);

  bool hopeful(SteadyTime now) const { return requester_.hopeful(now); }
  // Whether packets of the frame may still come because they were asked for.
  bool hopes_for_answers(const IncomingFrame& frame, SteadyTime now) const;
  // Until when a frame whose end was seen is waited for.
  SteadyTime last_call(const IncomingFrame& frame, SteadyTime now) const;

  // When poll() has something to do for any of the frames.
  std::optional<SteadyTime> next(std::span<const IncomingFrame> frames) const;
  // The next request, valid until the next call; nothing where there is none now.
  std::optional<Bytes> poll(std::span<IncomingFrame> frames, SteadyTime now, WallTime wall_now);
  // A request for tiles, valid until the next call of it.
  Bytes ask_for_tiles(const TileRequest& request, std::span<const PacketRange> ranges, WallTime wall_now);
  uint64_t requested() const { return requester_.requested(); }  // packets, each as often as it was asked for

 private:
  static constexpr size_t kMostBytes = kRequestHeaderBytes + 4 * RetransmitRequest::kMaxRanges;

  bool asks_for(const IncomingFrame& frame) const;
  static SteadyTime quiet_at(const IncomingFrame& frame);

  const ReceiveSettings& settings_;
  const SenderFollower& sender_;
  RetransmitRequester requester_;
  std::optional<Sealer> sealer_;  // where there is a key
  std::array<std::byte, kMostBytes> request_{};
  std::array<std::byte, kMostBytes + kSealOverhead> sealed_{};
  std::array<std::byte, kMostTileRequestBytes> tiles_{};
  std::array<std::byte, kMostTileRequestBytes + kSealOverhead> sealed_tiles_{};
};

}  // namespace texcast::transport
