// retransmit_store.h — keeps the datagrams sent last, and retransmits them in answer to NACKs. No I/O, no clock.
//
//   store.begin_frame(*packetizer->requestable_frame());
//   for each part of the frame: store.keep(packets); send(packets);
//   for each received datagram: send_to(destination, store.answer(destination, datagram, now));
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
  uint32_t ssrc = 0;            // of the stream: requests for others are ignored
  size_t destinations = 1;      // that can send requests
  size_t max_bytes = 64 << 20;  // of stored datagrams, including headers
  // Retransmissions to a destination are limited to this fraction of its regular traffic, so that neither a congested
  // network nor forged requests turn the sender into a flood. A burst is limited to this fraction of the largest frame,
  // or to `at_once` bytes if that is more (a coded frame may be a single small packet).
  double part = 0.25;
  size_t at_once = 4096;
  nanoseconds keep_for = std::chrono::milliseconds(250);  // older packets are useless to any receiver
  // With keys, only sealed requests are answered (a sealed stream requires them); without, only unencrypted ones.
  std::shared_ptr<const WireKeys> keys{};
};

// Not thread-safe. Stores copies of up to four frames. Allocates only for a frame that is larger than every frame
// before, at most twice max_bytes.
class RetransmitStore {
 public:
  explicit RetransmitStore(const RetransmitSettings& settings);

  void begin_frame(uint32_t buffer_id, SteadyTime now);
  // The frame's next datagrams, which are about to be sent.
  void keep(std::span<const OutgoingPacket> packets);

  // The requested datagrams that may be sent; none if it is no request for this stream. Valid until the next call of
  // any of these.
  std::span<const OutgoingPacket> answer(size_t destination, Bytes datagram, SteadyTime now);
  // The same for a request that is parsed already.
  std::span<const OutgoingPacket> answer(size_t destination, const RetransmitRequest& request, SteadyTime now);

  uint64_t requests() const { return requests_; }      // valid ones
  uint64_t sent_again() const { return sent_again_; }  // packets

 private:
  static constexpr size_t kFrames = 4;
  struct Kept {
    bool used = false;
    uint32_t buffer_id = 0;
    SteadyTime begun{};
    std::unique_ptr<std::byte[]> memory{};  // the datagrams, contiguous; reused from frame to frame
    size_t bytes = 0, capacity = 0;         // of the memory: used and allocated
    std::vector<uint32_t> ends{};           // of each datagram in `memory`
  };
  void grow(Kept& frame, size_t bytes);
  Kept* find(uint32_t buffer_id);

  RetransmitSettings settings_;
  FeedbackOpener opener_;
  std::array<Kept, kFrames> frames_{};
  size_t newest_ = 0;
  size_t largest_ = 0;           // frame so far
  std::vector<double> budgets_;  // bytes that may be retransmitted, by destination
  double budget_limit_ = 0;
  std::vector<OutgoingPacket> answer_;
  uint64_t requests_ = 0;
  uint64_t sent_again_ = 0;
};

}  // namespace texcast::transport
