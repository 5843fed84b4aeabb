// repair_shares.h — each receiver's share of the bytes that are sent because of tile requests (IntraRefresh). Requests
// of a receiver that has used more than its share are refused until it has paid that back, so that others are still
// served. No threads, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compact/refresh_budget.h"
#include "transport/peer_address.h"

namespace texcast::stream {

// Not thread-safe. Receivers are distinguished by their hosts, because one host can send requests from many ports.
class RepairShares {
 public:
  // Hosts that are remembered, unless more receivers are expected. Another host replaces the one whose latest request
  // is the oldest, and inherits its debt, so that forged addresses gain nothing.
  static constexpr size_t kMostReceivers = 8;
  // The share of a raw frame by which each receiver's RefreshBudget grows with each frame time: 120 kbit/s for `bc1` of
  // 1920x1080 at 60 frames per second.
  static constexpr double kShareOfPlain = 1.0 / 4096;

  // `most`: hosts that are remembered.
  explicit RepairShares(size_t raw_bytes, size_t most = kMostReceivers) : plain_bytes_(raw_bytes), most_(most) {}

  // Whether a request from this address is accepted. The repairs of the next frame with repairs are charged, in equal
  // parts, to all receivers whose requests were accepted since the previous one.
  bool hears(const transport::PeerAddress& from);
  // A frame was coded, `frame_times` after the previous one.
  void coded(const compact::RefreshCost& cost, double frame_times);

 private:
  struct Receiver {
    transport::PeerAddress from{};
    compact::RefreshBudget budget;
    uint64_t asked = 0;
    bool pays = false;
  };
  Receiver& find_or_add(const transport::PeerAddress& from);

  const size_t plain_bytes_, most_;
  std::vector<Receiver> receivers_;
  uint64_t asked_ = 0;
};

}  // namespace texcast::stream
