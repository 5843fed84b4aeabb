// other_senders.h — packets of senders that are not followed, kept for the case that one of them is next. Pure: time is
// data here.
//
// Owns: at most kMostBytes of packets, of at most kMostSenders senders.
// Invariants: no host has the memory of another. Where there is no place for one more sender, or no room for one more
// packet, the host that has the most of it gives way: a host that sends under ever new names, or without end, displaces
// what was kept of itself. While what was kept of a sender is replayed, nothing is kept of others.
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

class OtherSenders {
 public:
  static constexpr size_t kMostBytes = size_t{32} << 20;
  static constexpr size_t kMostSenders = 8;

  struct Kept {
    MediaPacket packet;
    SteadyTime now{};
    WallTime wall_now{};
  };

  bool any() const { return used_ > 0; }
  // Allocates where more is kept than ever before.
  void keep(const SenderId& sender, const MediaPacket& packet, SteadyTime now, WallTime wall_now);
  void forget_all();
  // Of whom the most packets are kept. Only where any().
  const SenderId& likeliest() const;

  // The sender is followed now. Others are forgotten; what is kept of it comes out, one packet after the other, until
  // replaying() ends; what is kept meanwhile comes last.
  void replay(const SenderId& sender);
  bool replaying() const { return replaying_; }
  bool replays(const SenderId& sender) const { return replaying_ && senders_[0].id == sender; }
  const Kept& replayed();  // where replaying(); valid until replayed_one()
  void replayed_one();

 private:
  static constexpr size_t kChunkBytes = size_t{256} << 10;  // holds the largest datagram, and what is known of it
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

  // Fewer packets, or as many and longer ago.
  static bool sent_less(const Sender& a, const Sender& b);
  Sender* find(const SenderId& id);
  Sender& begin(const SenderId& id);
  void forget(Sender& sender);
  void add_chunk(Sender& sender);
  // The sender to give way, of the host for which `amount` (of a Sender) adds up to the most.
  template <typename Amount, typename Before>
  Sender& heaviest(Amount amount, Before before);

  std::array<Sender, kMostSenders> senders_;  // the first used_
  size_t used_ = 0;
  size_t chunks_ = 0;  // that senders have
  std::vector<std::unique_ptr<std::byte[]>> spare_;
  bool replaying_ = false;
  size_t next_chunk_ = 0, next_at_ = 0;  // of what is replayed
  Kept current_{};
};

}  // namespace texcast::transport
