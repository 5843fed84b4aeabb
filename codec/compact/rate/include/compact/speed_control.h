// speed_control.h — how carefully the tiles of a lossy frame are coded, so that all of them are in the time there is.
//
// A tile that is late shows what was there before: behind a cut a part of another picture. One that is coded with few
// candidates for its end points, and told only where that saves much, is near to what it should be, takes a third of
// the time, and gets better in the next frames.
//
// No clock: whoever measures tells.
#pragma once

#include <cstddef>

#include "compact/rd_parameters.h"

namespace texcast::compact {

// Not thread-safe.
class SpeedControl {
 public:
  explicit SpeedControl(const SearchEffort& usual);

  // A frame of so many tiles that are to be coded begins.
  void begin(size_t tiles, double seconds_left);
  // How so many more of them are to be coded, which are coded now.
  const SearchEffort& take(size_t tiles, double seconds_left);
  // All are coded, or the rest is late.
  void end(double seconds_left);
  // As the latest ones were.
  const SearchEffort& effort() const { return effort_; }

 private:
  double tile_seconds(double seconds_left) const;

  const SearchEffort usual_;
  double usual_seconds_ = 0;  // that a tile takes, as carefully as usual, by the frames before; 0: there was none
  // Of the frame at hand. Tiles still to come; those taken, each by the part of the usual time that it should take.
  size_t tiles_left_ = 0;
  double trusted_ = 0, taken_ = 0, begun_with_ = 0;
  SearchEffort effort_;
};

}  // namespace texcast::compact
