// speed_control.h — adapts the search effort of lossy tiles to the time that is left, so that all tiles of a frame are
// coded.
//
// A deferred tile still shows old content: after a scene cut a part of another picture. Coding a tile with few
// candidates, and coding only sub-blocks that save much, takes a third of the time, looks similar, and improves in the
// next frames.
//
// It does not read a clock: callers pass the time that is left.
#pragma once

#include <cstddef>

#include "compact/rd_parameters.h"

namespace texcast::compact {

// Not thread-safe.
class SpeedControl {
 public:
  // `transform`: most tiles are transform slices, whose time depends on SearchEffort::macroblocks.
  explicit SpeedControl(const SearchEffort& usual, bool transform = false);

  // Begins a frame in which `tiles` are to be coded.
  void begin(size_t tiles, double seconds_left);
  // Returns the effort for the next `tiles` of them.
  const SearchEffort& take(size_t tiles, double seconds_left);
  // All tiles are coded, or the rest is deferred.
  void end(double seconds_left);
  // How long a tile takes with the usual effort, in seconds, from previous frames; 0: there was none.
  double usual_seconds() const { return usual_seconds_; }
  // That of the latest tiles.
  const SearchEffort& effort() const { return effort_; }

 private:
  double tile_seconds(double seconds_left) const;

  const SearchEffort usual_;
  const bool transform_;
  double usual_seconds_ = 0;  // for a tile with the usual effort, from previous frames; 0: there was none
  // The current frame.
  size_t tiles_left_ = 0;
  double prior_tiles_ = 0;  // how many tiles usual_seconds_ counts as
  double taken_tiles_ = 0;  // each counts as the fraction of the usual time that it should take
  double seconds_at_begin_ = 0;
  SearchEffort effort_;
};

}  // namespace texcast::compact
