// relay_tree.h — a discrete simulation of a coded stream that goes from a sender through levels of relays to many
// receivers. The sessions are those of the program (RelaySession, ReceiveSession, CompactReception, IntraRefresh,
// RetransmitStore); links and time are simulated, so that the outcome depends on the seed only.
//
//     sender ──hop 0──► 10 relays ──hop 1──► 100 receivers each        TreeSettings{.children = {10, 100}}
//
// Every link loses datagrams independently, in both directions. Each node sends to each of its children by unicast.
#pragma once

#include <cstdint>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast::test {

struct TreeSettings {
  std::vector<uint32_t> children{10, 100};  // of each node, by level from the sender; the last level are receivers
  double loss = 0.01;                       // probability, for each datagram on each link
  nanoseconds delay = std::chrono::milliseconds(1);  // of each link, in one direction
  double fps = 60;
  int frames = 60;
  double parity_percent = 0;
  double joining = 0;  // this share of the receivers joins in the middle
  uint32_t seed = 1;
};

// All links from one level to the next.
struct HopTraffic {
  uint64_t nodes = 0;                         // above the hop
  uint64_t packets = 0, again = 0, lost = 0;  // downwards; `packets` includes `again`, which were sent again
  uint64_t feedback = 0, feedback_bytes = 0;  // datagrams upwards, before loss
};

struct TreeOutcome {
  std::vector<HopTraffic> hops;
  double seconds = 0;      // simulated, from the first frame to the end of the last one
  double bits_per_s = 0;   // of the stream without retransmissions, UDP payload
  uint64_t receivers = 0;  // including those that join
  // At the sender.
  uint64_t nacks = 0, tile_requests = 0, refused_requests = 0, repaired_tiles = 0;
  uint64_t most_feedback = 0;  // datagrams in the busiest tenth of a second
  // At the receivers.
  uint64_t shown = 0, shown_wrong = 0;  // frames; wrong: at least one tile was known to be wrong
  uint64_t mistaken = 0;                // frames that differ from the sender's, although all tiles seemed right
  std::vector<double> wrong_ms;         // from a frame with wrong tiles to the next right one; ascending
  std::vector<double> joined_ms;        // from joining to the first right frame; ascending
  uint64_t never_right = 0;             // receivers whose last frame was wrong, or that have shown none
};

// `part` 0..1 of ascending values; 0 if there are none.
double percentile(const std::vector<double>& ascending, double part);

TreeOutcome simulate_tree(const TreeSettings& settings);

}  // namespace texcast::test
