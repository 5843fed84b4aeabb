// early_sound.h — sound that comes before the first frame of its picture, kept until it is known whose picture is
// shown.
//
// Owns: datagrams of the last second, kMostBytes at most; the oldest give way.
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
  // Passes on what came from that host, in order, to `take(datagram, arrived)`, and forgets everything.
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
