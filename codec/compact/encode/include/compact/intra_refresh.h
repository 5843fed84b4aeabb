// intra_refresh.h — the sender's knowledge of what its receivers have: which tiles have to be coded alone in the next
// frame.
//
// Who lost a tile has wrong also what was coded against it since: requests tell which tiles were not right after a
// frame, and the plan follows that through the vectors of the frames that have left meanwhile, and of those that leave
// until all is repaired.
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
  // Every tile is coded alone once in so many frames, from the top; who cannot ask has all of them right after the next
  // sweep that begins. 0: never without a request.
  double refresh_frames = 0;
};

struct IntraRefreshCounts {
  uint64_t requests = 0;      // that asked for something
  uint64_t repaired = 0;      // tiles coded alone because of them
  uint64_t refreshed = 0;     // and by the sweep
  uint64_t repair_bytes = 0;  // of those tiles, and of others that could not be coded against them
};

// Not thread-safe. Frames are numbered from 0 in the order of coded(). A call takes a time that hangs on the frames
// kept, however much is asked for: requests are merged, and looked through once a frame.
class IntraRefresh {
 public:
  static constexpr size_t kFramesKept = 64;
  // The part of a frame in plain, with each frame time, that all requests together may cause (RefreshBudget).
  static constexpr double kShareOfPlain = 1.0 / 2048;

  IntraRefresh(const TileGrid& grid, const IntraRefreshSettings& settings);
  // What FrameToEncode::alone should be for the next frame: all tiles that are wrong somewhere, where there is anything
  // left for repairs. Valid until the next call. `frame_times`: that have passed since the frame before, 1 or more. A
  // desktop on which nothing happens has fewer frames than its rate says; what may be sent is by time all the same.
  std::span<const uint8_t> next(double frame_times = 1);
  // Whether the next frame would repair something: better soon than late.
  bool is_waiting() const { return oldest_asked_ || (wrong_count_ > 0 && !budget_.is_spent()); }
  // What FrameToEncode::wrong should be for it: those of `alone` that receivers have wrong. What is coded against them
  // would be wrong too, and they by it a frame later: where things move, damage would go round for ever.
  std::span<const uint8_t> repaired() const { return is_repair_; }
  // What FrameToEncode::refreshed should be for it: as many tiles as this sweep has given anew. A receiver that cannot
  // ask has them right, and keeps them; after a whole sweep from the top it has all.
  uint32_t refreshed() const { return refreshed_; }
  // That frame, coded; nothing is asked between next() and this.
  void coded(std::span<const CodedSlice> slices);
  // A receiver has decoded frame `state` and has these tiles not right, or, `all`, none. Of tiles that were coded alone
  // since then nothing more is wanted. States that are older than what is kept, or of no frame: all may be wrong.
  void ask(uint64_t state, std::span<const TileRange> tiles, bool all);
  // What the latest frames changed.
  const ChangeHistory& history() const { return history_; }
  const IntraRefreshCounts& counts() const { return counts_; }
  const RefreshCost& cost() const { return cost_; }

 private:
  struct Coded {
    uint32_t tile = 0;
    bool is_against = false;
    ReferencedTiles touched;
  };
  struct Frame {
    std::vector<Coded> tiles;
  };
  uint8_t* asked_of(uint64_t state) { return asked_.data() + state % kFramesKept * grid_.tiles(); }
  void merge_requests();
  static bool touches(const Coded& coded, std::span<const uint8_t> tiles);
  void follow_damage(const Frame& frame, std::span<uint8_t> wrong, size_t& count);
  void account(std::span<const CodedSlice> slices);
  void remember_changes(std::span<const CodedSlice> slices);

  const TileGrid& grid_;
  const IntraRefreshSettings settings_;
  uint64_t frames_ = 0;                   // coded so far
  std::deque<Frame> kept_;                // the last of them
  std::vector<uint8_t> asked_;            // a row of tiles for each of the frames kept: not right behind it
  std::optional<uint64_t> oldest_asked_;  // that has anything in its row
  std::vector<uint8_t> wrong_;            // behind the latest frame, at some receiver
  size_t wrong_count_ = 0;
  std::vector<uint8_t> intra_;  // given by next()
  std::vector<uint8_t> is_repair_;
  std::vector<uint8_t> found_, wrong_now_;
  double frame_times_ = 1;  // that the frame under way stands for
  RefreshBudget budget_;
  RefreshCost cost_;
  double sweep_ = 0;        // tiles that are due
  uint32_t swept_ = 0;      // the next of them
  uint32_t refreshed_ = 0;  // before this frame
  ChangeHistory history_;
  IntraRefreshCounts counts_;
};

}  // namespace texcast::compact
