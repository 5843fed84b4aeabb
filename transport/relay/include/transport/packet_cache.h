// packet_cache.h — keeps the datagrams of a stream's latest frames as they pass, in any order and with gaps, so that a
// relay answers the NACKs of its receivers without the sender. (A sender, which has all packets in order, uses
// RetransmitStore.) No I/O; time is an argument.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/answer_limit.h"
#include "transport/own_packet.h"
#include "transport/packetizer.h"
#include "transport/relayed_packet.h"

namespace texcast::transport {

struct PacketCacheSettings {
  size_t max_bytes = 64 << 20;                            // of stored datagrams
  nanoseconds keep_for = std::chrono::milliseconds(500);  // older packets are useless to any receiver
  // Each receiver gets at most this fraction of the stream's bytes again; at once this fraction of the largest frame,
  // or `at_once` bytes if that is more.
  double part = 0.25;
  size_t at_once = 4096;
};

// Not thread-safe. Any place and any request may be passed; memory is bounded by the settings.
class PacketCache {
 public:
  explicit PacketCache(const PacketCacheSettings& settings = {})
      : settings_(settings), limit_(settings.part, settings.at_once) {}

  // A datagram of the stream that has just arrived. A second one of the same place is not stored.
  void keep(const PacketPlace& place, Bytes datagram, SteadyTime now);
  // The requested datagrams that are here and that the receiver may have. Valid until the next call of any of these.
  std::span<const OutgoingPacket> answer(uint32_t receiver, const RetransmitRequest& request, SteadyTime now);
  // A datagram that is here; valid until the next call of keep() or clear().
  std::optional<Bytes> packet(const PacketPlace& place) const;
  void forget(uint32_t receiver) { limit_.forget(receiver); }
  void clear();  // another stream begins

  uint64_t requests() const { return requests_; }
  uint64_t sent_again() const { return sent_again_; }  // packets

 private:
  static constexpr size_t kFrames = 8;
  static constexpr size_t kMostPackets = 1 << 17;  // of a frame: 180 MB
  struct Piece {
    uint32_t number = 0;
    size_t begin = 0, end = 0;  // in Frame::bytes
  };
  struct Frame {
    bool used = false;
    uint32_t buffer_id = 0;
    SteadyTime begun{};
    std::vector<std::byte> bytes{};
    std::vector<Piece> pieces{};  // by number
  };
  Frame* frame_of(uint32_t buffer_id, SteadyTime now);
  Frame* oldest(const Frame* except = nullptr);
  bool make_room(const Frame& for_frame, size_t bytes);
  void drop(Frame& frame);

  const PacketCacheSettings settings_;
  std::array<Frame, kFrames> frames_{};
  size_t bytes_ = 0;  // of all frames
  AnswerLimit limit_;
  std::vector<OutgoingPacket> answer_;
  uint64_t requests_ = 0;
  uint64_t sent_again_ = 0;
};

}  // namespace texcast::transport
