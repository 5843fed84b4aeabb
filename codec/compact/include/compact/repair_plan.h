// repair_plan.h — the sender's knowledge of what its receivers have: which tiles have to be coded alone in the next
// frame.
//
// Who lost a tile has wrong also what was coded against it since: requests tell which tiles were not right after a
// frame, and the plan follows that through the vectors of the frames that have left meanwhile.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "compact/coded_unit.h"
#include "compact/payload.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

struct RepairSettings {
  double refresh_frames = 0;  // every tile is coded alone once in so many frames; 0: never without a request
  double fps = 60;
};

struct RepairCounts {
  uint64_t requests = 0;      // that asked for something
  uint64_t refused = 0;       // that asked for all again too soon, or of frames too old
  uint64_t repaired = 0;      // tiles coded alone because of them
  uint64_t refreshed = 0;     // and by the sweep
  uint64_t repair_bytes = 0;  // of those tiles
};

// Not thread-safe. Frames are numbered from 0 in the order of coded().
class RepairPlan {
 public:
  static constexpr size_t kFramesKept = 64;

  RepairPlan(const TileGrid& grid, const RepairSettings& settings);
  // What FrameToEncode::alone should be for the next frame; valid until the next call. Repairs take at most a quarter
  // of what the stream takes anyway, on average, and at once no more than a frame in plain; what has no room waits.
  std::span<const uint8_t> next();
  // That frame, coded.
  void coded(std::span<const CodedUnit> units);
  // A receiver has decoded frame `state` and has these tiles not right, or, `all`, none. Whole pictures are given at
  // most once a second, to all who asked.
  void ask(uint64_t state, std::span<const TileRange> tiles, bool all);
  // What the latest frames changed.
  const ChangeHistory& history() const { return history_; }
  const RepairCounts& counts() const { return counts_; }

 private:
  struct Coded {
    uint32_t tile = 0;
    bool is_against = false;
    TilesTouched touched;
  };
  struct Frame {
    std::vector<Coded> tiles;
  };
  void remember_changes(std::span<const CodedUnit> units);

  const TileGrid& grid_;
  const RepairSettings settings_;
  uint64_t frames_ = 0;          // coded so far
  std::deque<Frame> kept_;       // the last of them
  std::vector<uint8_t> wanted_;  // by receivers, for the next frame
  std::vector<uint8_t> alone_;   // given by next()
  std::vector<uint8_t> is_repair_;
  std::vector<uint8_t> wrong_, wrong_now_;
  size_t wanted_count_ = 0;
  double budget_ = 0;                   // bytes that repairs may take
  double usual_bytes_ = 0;              // of a frame
  double sweep_ = 0;                    // tiles that are due
  uint32_t swept_ = 0;                  // the next of them
  std::optional<uint64_t> last_whole_;  // frame before which all was given
  ChangeHistory history_;
  RepairCounts counts_;
};

}  // namespace texcast::compact
