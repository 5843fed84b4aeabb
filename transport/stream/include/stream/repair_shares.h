// repair_shares.h — how much of what is sent because of requests for tiles (IntraRefresh) each receiver may cause. A
// receiver that asks for more than its share is not heard until it has paid that back, so that others can still ask.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compact/refresh_budget.h"
#include "transport/peer_address.h"

namespace texcast::stream {

// Not thread-safe. Receivers are told apart by their hosts, as one host can ask from many ports.
class RepairShares {
 public:
  // Hosts that are remembered. A further host replaces the one that asked longest ago and inherits its debt, so forged
  // addresses gain nothing.
  static constexpr size_t kMostReceivers = 8;
  // The share of a raw frame by which each receiver's RefreshBudget grows with each frame time: 120 kbit/s for `bc1` of
  // 1920x1080 at 60 frames per second.
  static constexpr double kShareOfPlain = 1.0 / 4096;

  explicit RepairShares(size_t raw_bytes) : plain_bytes_(raw_bytes) {}

  // Whether a request from there is to be heard. The repairs of the next frame that has any are charged to all that
  // were heard since the one before, in equal parts.
  bool hears(const transport::PeerAddress& from);
  // A frame was coded, which stands for so many frame times.
  void coded(const compact::RefreshCost& cost, double frame_times);

 private:
  struct Receiver {
    transport::PeerAddress from{};
    compact::RefreshBudget budget;
    uint64_t asked = 0;
    bool pays = false;
  };
  Receiver& find_or_add(const transport::PeerAddress& from);

  const size_t plain_bytes_;
  std::vector<Receiver> receivers_;
  uint64_t asked_ = 0;
};

}  // namespace texcast::stream
