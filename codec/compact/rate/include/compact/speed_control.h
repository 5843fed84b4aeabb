// speed_control.h — adapts the search effort of lossy tiles to the time that is left, so that all tiles of a frame are
// coded.
//
// A deferred tile still shows old content: after a scene cut a part of another picture. Coding a tile with few
// candidates, and coding only sub-blocks that save much, takes a third of the time, looks similar, and improves in the
// next frames.
//
// It learns how long each tile takes and how the steps of effort compare. It does not read a clock: callers pass the
// time that is left, and how long tiles took.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compact/rd_parameters.h"

namespace texcast::compact {

// Not thread-safe.
class SpeedControl {
 public:
  // `tiles`: in a picture. `transform`: most tiles are transform slices, whose time depends on
  // SearchEffort::macroblocks.
  SpeedControl(const SearchEffort& usual, size_t tiles, bool transform = false);

  struct Turn {
    SearchEffort effort;
    size_t step = 0;
  };
  // Begins a frame in which `tiles` are to be coded.
  void begin(std::span<const uint32_t> tiles, double seconds_left);
  // Returns the effort for the next `tiles` of them.
  Turn take(std::span<const uint32_t> tiles, double seconds_left);
  // A thread has coded the tiles of a turn in `seconds`.
  void coded(std::span<const uint32_t> tiles, const Turn& turn, double seconds);
  // All tiles are coded, or the rest is deferred.
  void end(double seconds_left);
  // How long a tile takes with the usual effort, in seconds, from previous frames; 0: there was none.
  double usual_seconds() const { return usual_seconds_; }
  // That of the latest tiles.
  const SearchEffort& effort() const { return effort_; }
  // Whether one of the latest frames lacked the time for the usual effort.
  bool is_short() const { return short_frames_ > 0; }

  static constexpr size_t kSteps = 9;

 private:
  double pace(double seconds_left) const;
  double work_of(std::span<const uint32_t> tiles) const;
  void compare_steps();
  void look_at_time(double seconds_left);

  const SearchEffort usual_;
  const size_t usual_step_;
  std::array<double, kSteps> relative_;  // time of a tile with each step
  // Of each tile: the seconds of a thread for coding it last, divided by the relative time of that step; 0: unknown.
  std::vector<double> work_;
  double new_work_;           // what is assumed for tiles whose time is not known
  double pace_ = 0;           // seconds of a frame in which threads do a second of work; 0: there was no frame yet
  double usual_seconds_ = 0;  // for a tile with the usual effort, from previous frames; 0: there was none
  int short_frames_ = 0;
  // The current frame.
  double work_left_ = 0, taken_work_ = 0;  // with the usual effort; with the effort taken
  double prior_work_ = 0;                  // how much work pace_ counts as
  size_t taken_tiles_ = 0;
  double seconds_at_begin_ = 0;
  bool is_reduced_ = false;  // some tiles had less than the usual effort
  double coded_work_ = 0, coded_seconds_ = 0;
  size_t coded_tiles_ = 0;
  std::array<double, kSteps> expected_{}, measured_{};  // seconds of tiles that were coded before
  SearchEffort effort_;
};

}  // namespace texcast::compact
