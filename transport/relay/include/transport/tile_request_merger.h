// tile_request_merger.h — merges the tile requests of a relay's receivers into few that go to the sender. No I/O; time
// is an argument.
//
// Receivers repeat a request until their tiles are right, so a request that is dropped here only costs time. What
// passes is limited whatever the receivers do: requests for tiles leave once in kApart, for at most kMostStates frames;
// requests for the whole picture, as from receivers that have just joined, once in kAllApart, and only if somebody
// still asked within kFresh. A receiver that alone makes the sender send whole pictures has a credit of kAllAtOnce of
// them, and one more each kAllOfOne. And the answer to a request goes to all receivers: one that had seen no frame from
// after the request, and wants nothing else, is not passed on again within kAnswer.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
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
  static constexpr nanoseconds kFresh = std::chrono::milliseconds(300);
  static constexpr nanoseconds kAllOfOne = std::chrono::seconds(5);
  static constexpr double kAllAtOnce = 4;
  static constexpr nanoseconds kAnswer = std::chrono::milliseconds(500);
  static constexpr size_t kMostStates = 4;
  static constexpr size_t kMostReceivers = 4096;  // with a credit of their own; the others share one

  struct Merged {
    // Buffer id of the frame in which the tiles are wrong; nothing with `all`.
    std::optional<uint32_t> state{};
    bool all = false;
    std::vector<PacketRange> ranges{};  // ascending, disjoint, at most TileRequest::kMaxRanges; empty only with `all`
    bool operator==(const Merged&) const = default;
  };

  void add(uint32_t receiver, const TileRequest& request, SteadyTime now);
  // The next request for the sender, until there is none that may leave now. `newest`: buffer id of the newest frame
  // that has passed; nothing: none.
  std::optional<Merged> next(SteadyTime now, std::optional<uint32_t> newest = {});
  // When next() has one; nothing while nobody asks.
  std::optional<SteadyTime> next_deadline() const;
  void clear();  // another stream begins
  void forget(uint32_t receiver) { credits_.erase(receiver); }

  uint64_t received() const { return received_; }
  uint64_t passed_on() const { return passed_on_; }
  uint64_t covered() const { return covered_; }  // by answers that were on their way
  uint64_t refused() const { return refused_; }  // without credit

 private:
  struct Passed {
    SteadyTime at{};
    uint32_t newest = 0;  // frame then
    Merged what{};
  };
  struct Credit {
    double pictures = kAllAtOnce;
    SteadyTime at{};
    bool asks = false;  // since the last whole picture was requested
  };
  static constexpr size_t kMostPassed = 16;
  bool is_covered(const TileRequest& request, SteadyTime now) const;
  bool has_credit(uint32_t receiver, SteadyTime now);
  void charge();
  Merged passed(Merged what, SteadyTime now, std::optional<uint32_t> newest);
  struct Waiting {
    uint32_t state = 0;
    std::vector<PacketRange> ranges{};
  };
  bool wants_all_ = false;
  std::vector<Waiting> waiting_;      // one for each state, in the order of the requests
  bool leaving_ = false;              // some of waiting_ have left in this turn
  SteadyTime tiles_at_{}, all_at_{};  // not before
  SteadyTime all_asked_{};            // when somebody asked last
  std::deque<Passed> passed_;
  std::unordered_map<uint32_t, Credit> credits_;
  uint64_t received_ = 0, passed_on_ = 0, covered_ = 0, refused_ = 0;
};

}  // namespace texcast::transport
