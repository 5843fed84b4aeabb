// candidate_senders.h — stores packets of senders that are not selected, in case one of them is selected next. No I/O;
// time is data here.
//
// Owns: at most kMostBytes of packets, from at most kMostSenders senders.
// Invariants: no host takes memory from another. If there is no place for another sender, or no room for another
// packet, the host that uses the most makes room: a host that sends under ever new SSRCs, or without end, displaces its
// own packets only. While a sender's packets are replayed, none of others are stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "media_packet.h"
#include "sender_id.h"
#include "texcast/frame_times.h"

namespace texcast::transport {

class CandidateSenders {
 public:
  static constexpr size_t kMostBytes = size_t{32} << 20;
  static constexpr size_t kMostSenders = 8;

  struct Kept {
    MediaPacket packet;
    SteadyTime now{};
    WallTime wall_now{};
  };

  bool any() const { return used_ > 0; }
  // Allocates if more is stored than ever before.
  void keep(const SenderId& sender, const MediaPacket& packet, SteadyTime now, WallTime wall_now);
  void forget_all();
  // The one with the most packets. Requires any().
  const SenderId& likeliest() const;

  // The sender was selected. Others are dropped. Its packets come out one after the other until replaying() ends;
  // packets stored meanwhile come last.
  void replay(const SenderId& sender);
  bool replaying() const { return replaying_; }
  bool replays(const SenderId& sender) const { return replaying_ && senders_[0].id == sender; }
  const Kept& replayed();  // while replaying(); valid until replayed_one()
  void replayed_one();

 private:
  static constexpr size_t kChunkBytes = size_t{256} << 10;  // holds the largest datagram and its metadata
  static constexpr size_t kMostChunks = kMostBytes / kChunkBytes;
  static constexpr size_t kSpareChunks = 8;

  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    size_t bytes = 0;  // filled
  };
  struct Sender {
    SenderId id;
    std::vector<Chunk> chunks;
    uint64_t packets = 0;
    SteadyTime heard{};
  };

  // Fewer packets, or as many but longer ago.
  static bool sent_less(const Sender& a, const Sender& b);
  Sender* find(const SenderId& id);
  Sender& begin(const SenderId& id);
  void forget(Sender& sender);
  void add_chunk(Sender& sender);
  // The sender to drop: one of the host whose sum of `amount` (of a Sender) is the largest.
  template <typename Amount, typename Before>
  Sender& heaviest(Amount amount, Before before);

  std::array<Sender, kMostSenders> senders_;  // the first used_ are valid
  size_t used_ = 0;
  size_t chunks_ = 0;  // in use by senders
  std::vector<std::unique_ptr<std::byte[]>> spare_;
  bool replaying_ = false;
  size_t next_chunk_ = 0, next_at_ = 0;  // the position of the replay
  Kept current_{};
};

}  // namespace texcast::transport
