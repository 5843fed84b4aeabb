// retransmit_store.h — the datagrams sent last, to be sent again when a receiver asks. Pure: no socket, no clock.
//
//   store.begin_frame(*packetizer->requestable_frame());
//   for each part of the frame: store.keep(packets); send(packets);
//   for each datagram that comes back: send_to(destination, store.answer(destination, datagram, now));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/feedback_opener.h"
#include "transport/own_packet.h"
#include "transport/packetizer.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

struct RetransmitSettings {
  uint32_t ssrc = 0;            // of the stream: requests for others are not answered
  size_t destinations = 1;      // how many can ask
  size_t max_bytes = 64 << 20;  // of datagrams that are kept, headers included
  // Answers to a destination are at most this part of what it is sent anyway, so that neither a congested network nor
  // a forged request makes the sender a flood; and at once no more than this part of the largest frame, or `at_once`
  // bytes where that is more (a compact frame may be a single small packet).
  double part = 0.25;
  size_t at_once = 4096;
  nanoseconds keep_for = std::chrono::milliseconds(250);  // an older packet is of no use to any receiver
  // With keys only sealed requests are answered (as they must be where the stream is), without none of those.
  std::shared_ptr<const WireKeys> keys{};
};

// Not thread-safe. Keeps copies of up to four frames. Allocates only for a frame larger than those before, at most
// twice max_bytes.
class RetransmitStore {
 public:
  explicit RetransmitStore(const RetransmitSettings& settings);

  void begin_frame(uint32_t buffer_id, SteadyTime now);
  // The frame's next datagrams, which are about to be sent.
  void keep(std::span<const OutgoingPacket> packets);

  // Datagrams that the request asks for and that may be sent; none where it is no request of this stream. Valid
  // until the next call of any of these.
  std::span<const OutgoingPacket> answer(size_t destination, Bytes datagram, SteadyTime now);
  // The same of a request that has been read.
  std::span<const OutgoingPacket> answer(size_t destination, const RetransmitRequest& request, SteadyTime now);

  uint64_t requests() const { return requests_; }      // that were understood
  uint64_t sent_again() const { return sent_again_; }  // packets

 private:
  static constexpr size_t kFrames = 4;
  struct Kept {
    bool used = false;
    uint32_t buffer_id = 0;
    SteadyTime begun{};
    std::unique_ptr<std::byte[]> memory{};  // the datagrams, one behind another; kept from frame to frame
    size_t bytes = 0, capacity = 0;         // used of it, and there
    std::vector<uint32_t> ends{};           // of each datagram, in `memory`
  };
  void grow(Kept& frame, size_t bytes);
  Kept* find(uint32_t buffer_id);

  RetransmitSettings settings_;
  FeedbackOpener opener_;
  std::array<Kept, kFrames> frames_{};
  size_t newest_ = 0;
  size_t largest_ = 0;           // frame so far
  std::vector<double> budgets_;  // bytes that may be sent again, by destination
  double budget_limit_ = 0;
  std::vector<OutgoingPacket> answer_;
  uint64_t requests_ = 0;
  uint64_t sent_again_ = 0;
};

}  // namespace texcast::transport
