// early_sound.h — sound that arrives before the first frame of its picture. It is kept until the picture's sender is
// known.
//
// Holds the datagrams of the last second, at most kMostBytes; beyond that the oldest are dropped.
#pragma once

#include <deque>
#include <vector>

#include "live/datagrams.h"

namespace texcast::stream {

class EarlySound {
 public:
  static constexpr size_t kMostBytes = size_t{512} << 10;
  static constexpr nanoseconds kLongest = std::chrono::seconds(1);

  void keep(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from);
  // Passes the datagrams of that host to `take(datagram, arrived)`, in order, and discards all others.
  template <typename Take>
  void release(const transport::PeerAddress& host, Take take) {
    for (const Kept& one : kept_)
      if (one.from.same_host(host)) take(Bytes(one.datagram), one.arrived);
    kept_.clear();
    bytes_ = 0;
  }

 private:
  struct Kept {
    std::vector<std::byte> datagram;
    Instant arrived;
    transport::PeerAddress from;
  };
  std::deque<Kept> kept_;
  size_t bytes_ = 0;
};

}  // namespace texcast::stream
