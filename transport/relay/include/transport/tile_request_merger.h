// tile_request_merger.h — merges the tile requests of a relay's receivers into few that go to the sender. No I/O; time
// is an argument.
//
// Receivers repeat a request until their tiles are right, so a request that is dropped here only costs time. What
// passes is limited whatever the receivers do: requests for tiles leave once in kApart, for at most kMostStates frames;
// requests for the whole picture, as from receivers that have just joined, once in kAllApart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "texcast/frame_times.h"
#include "transport/compact_packet.h"
#include "transport/own_packet.h"

namespace texcast::transport {

// Not thread-safe.
class TileRequestMerger {
 public:
  static constexpr nanoseconds kApart = std::chrono::milliseconds(20);
  static constexpr nanoseconds kAllApart = std::chrono::milliseconds(500);
  static constexpr size_t kMostStates = 4;

  struct Merged {
    // Buffer id of the frame in which the tiles are wrong; nothing with `all`.
    std::optional<uint32_t> state{};
    bool all = false;
    std::vector<PacketRange> ranges{};  // ascending, disjoint, at most TileRequest::kMaxRanges; empty only with `all`
    bool operator==(const Merged&) const = default;
  };

  void add(const TileRequest& request);
  // The next request for the sender, until there is none that may leave now.
  std::optional<Merged> next(SteadyTime now);
  // When next() has one; nothing while nobody asks.
  std::optional<SteadyTime> next_deadline() const;
  void clear();  // another stream begins

  uint64_t received() const { return received_; }
  uint64_t passed_on() const { return passed_on_; }

 private:
  struct Waiting {
    uint32_t state = 0;
    std::vector<PacketRange> ranges{};
  };
  bool wants_all_ = false;
  std::vector<Waiting> waiting_;      // one for each state, in the order of the requests
  bool leaving_ = false;              // some of waiting_ have left in this turn
  SteadyTime tiles_at_{}, all_at_{};  // not before
  uint64_t received_ = 0, passed_on_ = 0;
};

}  // namespace texcast::transport
