// intra_refresh.h — decides which tiles of the next frame are intra: periodic (rolling) intra refresh, and loss-driven
// intra refresh (repairs) at the request of receivers.
//
// A receiver that lost a tile also has errors in all tiles that reference it later. Requests say which tiles were in
// error after a frame. The errors are propagated along the vectors of the frames that were sent meanwhile, and of those
// that are sent until all errors are repaired.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "compact/coded_slice.h"
#include "compact/payload.h"
#include "compact/refresh_budget.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

struct IntraRefreshSettings {
  // Periodic intra refresh: each tile is intra once in so many frames, from the top, so that a receiver that cannot
  // send requests has a valid picture after the next complete cycle. 0: only requested tiles are intra.
  double refresh_frames = 0;
};

struct IntraRefreshCounts {
  uint64_t requests = 0;      // that are not empty
  uint64_t repaired = 0;      // tiles that are intra because of requests
  uint64_t refreshed = 0;     // tiles that are intra because of the period
  uint64_t repair_bytes = 0;  // of repaired tiles, and of others that are intra because they may not reference these
};

// Not thread-safe. Frames are numbered from 0 in the order of coded(). The time of a call is bounded by kFramesKept and
// the number of tiles, however many requests there are: they are merged, and processed once per frame.
class IntraRefresh {
 public:
  static constexpr size_t kFramesKept = 64;
  // The share of a raw frame by which the budget for repairs grows with each frame time (RefreshBudget).
  static constexpr double kShareOfRaw = 1.0 / 2048;

  IntraRefresh(const TileGrid& grid, const IntraRefreshSettings& settings);
  // Returns FrameToEncode::intra for the next frame: with those of the period all tiles that any receiver may have
  // wrong, unless the budget for repairs is spent. Valid until the next call. `frame_times` have passed since the
  // previous frame, at least 1: an idle desktop has fewer frames than its frame rate, but the budget grows with time.
  std::span<const uint8_t> next(double frame_times = 1);
  // Whether the next frame will repair something, so that it should be sent soon.
  bool is_waiting() const { return oldest_requested_ || (wrong_count_ > 0 && !budget_.is_spent()); }
  // FrameToEncode::wrong for this frame: the intra tiles that receivers have wrong. Tiles that reference them would be
  // in error too, and would pass the errors back one frame later: with motion, errors would never end.
  std::span<const uint8_t> repaired() const { return is_repair_; }
  // FrameToEncode::refreshed for this frame: the number of tiles that the current cycle has refreshed. A receiver that
  // cannot send requests has these valid, and keeps them so; after a complete cycle it has all.
  uint32_t refreshed() const { return refreshed_; }
  // The frame after next() was coded. request() must not be called between the two.
  void coded(std::span<const CodedSlice> slices);
  // A receiver decoded frame `state` and has errors in these tiles or, with `all`, in all of them. Tiles that were
  // intra since then are not repaired again. If the frame is no longer kept, or does not exist, all tiles may be wrong.
  void request(uint64_t state, std::span<const TileRange> tiles, bool all);
  // The tiles that the latest frames coded.
  const ChangeHistory& history() const { return history_; }
  const IntraRefreshCounts& counts() const { return counts_; }
  const RefreshCost& cost() const { return cost_; }

 private:
  struct Coded {
    uint32_t tile = 0;
    bool is_inter = false;
    ReferencedTiles referenced;
  };
  struct Frame {
    std::vector<Coded> tiles;
  };
  uint8_t* requested_in(uint64_t state) { return requested_.data() + state % kFramesKept * grid_.tiles(); }
  void merge_requests();
  static bool references_any(const Coded& coded, std::span<const uint8_t> tiles);
  void propagate_errors(const Frame& frame, std::span<uint8_t> wrong, size_t& count);
  void account(std::span<const CodedSlice> slices);
  void remember_changes(std::span<const CodedSlice> slices);

  const TileGrid& grid_;
  const IntraRefreshSettings settings_;
  uint64_t frames_ = 0;                       // coded so far
  std::deque<Frame> kept_;                    // the latest of them
  std::vector<uint8_t> requested_;            // a row of tiles for each kept frame: requested as wrong after it
  std::optional<uint64_t> oldest_requested_;  // the oldest frame with a tile in its row
  std::vector<uint8_t> wrong_;                // after the latest frame, at any receiver
  size_t wrong_count_ = 0;
  std::vector<uint8_t> intra_;  // the result of next()
  std::vector<uint8_t> is_repair_;
  std::vector<uint8_t> found_, wrong_after_;  // used during a call only
  double frame_times_ = 1;                    // from the previous frame to the current one
  RefreshBudget budget_;
  RefreshCost cost_;
  double due_tiles_ = 0;         // of periodic refresh
  uint32_t next_refreshed_ = 0;  // the next tile of the cycle
  uint32_t refreshed_ = 0;       // tiles of the cycle before this frame
  ChangeHistory history_;
  IntraRefreshCounts counts_;
};

}  // namespace texcast::compact
